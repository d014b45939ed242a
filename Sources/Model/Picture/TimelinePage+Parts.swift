extension TimelinePage {
    static let styleSheet = """
        *{box-sizing:border-box}html,body{height:100%;margin:0}
        body{display:flex;flex-direction:column;background:var(--ground);color:var(--ink);\
        font:14px/1.4 system-ui,'DejaVu Sans',sans-serif}
        header{padding:18px 24px 10px}h1{font-size:20px;margin:0;overflow:hidden;overflow-wrap:anywhere;\
        display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2}p{margin:2px 0 12px;color:var(--faint)}
        .tools{display:flex;gap:8px;align-items:center}.gap{flex:1}#count{color:var(--faint);white-space:nowrap}
        input,button{font:inherit;color:inherit;background:var(--band);border:1px solid var(--strong);\
        border-radius:6px;padding:4px 10px;min-width:34px}input{width:min(280px,50vw);min-width:0}
        button:hover{border-color:var(--ink)}:focus-visible{outline:2px solid var(--background);outline-offset:1px}
        .legend{display:flex;flex-wrap:wrap;gap:4px 18px;margin-top:12px;color:var(--faint);font-size:12px}
        .legend span{display:inline-flex;align-items:center;gap:6px}
        main{flex:1;overflow:hidden auto;position:relative;border-top:1px solid var(--line);min-height:120px}
        canvas{position:sticky;top:0;display:block;cursor:crosshair;touch-action:pan-y}
        #tip{position:fixed;pointer-events:none;max-width:min(420px,90vw);background:var(--ink);color:var(--ground);\
        padding:7px 11px;border-radius:7px;font-size:12.5px;white-space:pre-line;overflow-wrap:anywhere;\
        box-shadow:0 4px 18px #0006;z-index:2}
        noscript{padding:24px}
        """

    /// It draws what is in sight, and writes texts as text alone.
    static let script = #"""
        'use strict';
        const D=JSON.parse(document.getElementById('data').textContent),$=i=>document.getElementById(i);
        const view=$('view'),canvas=$('canvas'),g=canvas.getContext('2d'),tip=$('tip');
        const ROW=24,TOP=34,shapes=D.shapes.map(s=>new Path2D(s));
        let from=0,to=D.span,rows=D.lanes,gutter=150,W=0,H=0,colours={},spacer=document.createElement('div');
        view.append(spacer);
        function readColours(){const s=getComputedStyle(document.documentElement);colours={};
          for(const n of ['ground','ink','faint','line','strong','band','short','critical',
            ...D.states.map(s=>s[0]),...D.kinds.map(k=>k[0])])colours[n]=s.getPropertyValue('--'+n).trim();}
        const pad=(n,w=2)=>String(Math.floor(n)).padStart(w,'0');
        function local(t){const abs=D.start+t;let o=0;
          for(const z of D.zones)if(z[0]*1e6<=abs||z===D.zones[0])o=z[1];return abs+o*1e6;}
        function clock(t,step){const l=local(t),s=Math.floor(l/1e6),d=D.zones.length?((s%86400)+86400)%86400:s;
          let x=pad(d/3600)+':'+pad(d/60%60);if(step<6e7)x+=':'+pad(d%60);
          if(step<1e6)x+='.'+pad((l-s*1e6)/1e3,3);return x;}
        const day=t=>D.zones.length?new Date(local(t)/1e3).toISOString().slice(0,10):'';
        const when=t=>(day(t)+' '+clock(t,1e6)).trim();
        function span(u){const s=u/1e6,two=(n,a,m,b)=>Math.floor(n)+a+(Math.floor(m)?' '+Math.floor(m)+b:'');
          if(s>=86400)return two(s/86400,'d',s/3600%24,'h');if(s>=3600)return two(s/3600,'h',s/60%60,'min');
          if(s>=60)return two(s/60,'min',s%60,'s');if(s>=1)return s.toFixed(1)+'s';return (u/1e3).toFixed(u<1e4?2:0)+'ms';}
        const x=t=>gutter+(t-from)/(to-from)*(W-gutter-16);
        const time=px=>from+(px-gutter)/(W-gutter-16)*(to-from);
        const STEPS=[1e3,2e3,5e3,1e4,2e4,5e4,1e5,2e5,5e5,...[1,2,5,10,15,30].map(n=>n*1e6),
          ...[1,2,5,10,15,30].map(n=>n*6e7),...[1,2,3,6,12].map(n=>n*36e8),...[1,2,5,10,20,50,100,500,1000].map(n=>n*864e8)];
        function draw(){
          const ratio=devicePixelRatio||1,first=Math.floor(view.scrollTop/ROW);
          g.setTransform(ratio,0,0,ratio,0,0);g.fillStyle=colours.ground;g.fillRect(0,0,W,H);
          g.font="12px system-ui,'DejaVu Sans',sans-serif";g.textBaseline='middle';
          const y0=TOP-view.scrollTop;
          for(let i=first;i<rows.length&&y0+i*ROW<H;i++)if(i%2===0){g.fillStyle=colours.band;g.fillRect(0,y0+i*ROW,W,ROW);}
          g.save();g.beginPath();g.rect(gutter,0,W-gutter,H);g.clip();
          for(const p of D.pressure)if(p[2]>from&&p[1]<to){g.fillStyle=p[0]?colours.critical:colours.short;
            g.fillRect(x(p[1]),0,Math.max(x(p[2])-x(p[1]),1),H);}
          const most=Math.max(2,Math.floor((W-gutter)/95)),step=STEPS.find(s=>(to-from)/s<most)||STEPS.at(-1);
          const ticks=[],off=local(from)-D.start-from;let n=Math.ceil(local(from)/step)*step;
          for(;n-off-D.start<=to;n+=step)ticks.push([n-off-D.start,D.zones.length&&n%864e8===0]);
          for(const [t,isDay] of ticks){g.fillStyle=isDay?colours.strong:colours.line;g.fillRect(Math.round(x(t)),TOP-6,1,H);}
          for(let i=first;i<rows.length&&y0+i*ROW<H;i++){
            const mid=y0+i*ROW+ROW/2,lane=rows[i];
            for(const v of lane[1]){if(v[2]<from||v[1]>to)continue;
              const h=Math.max(ROW*D.heights[v[0]],1.5),a=Math.max(x(v[1]),gutter-2),b=Math.min(x(v[2]),W+2);
              g.fillStyle=colours[D.states[v[0]][0]];g.fillRect(a,mid-h/2,Math.max(b-a,.5),h);}
            for(let k=D.kinds.length-1;k>=0;k--)for(const m of lane[2])if(m[0]===k)mark(m,mid);}
          g.fillStyle=colours.ground;g.fillRect(gutter,0,W,TOP-8);
          g.fillStyle=colours.faint;g.textAlign='center';
          for(const [t,isDay] of ticks)label(isDay?day(t):clock(t,step),x(t));
          for(const m of D.marks)mark(m,TOP-14);
          g.restore();
          g.textAlign='right';
          for(let i=first;i<rows.length&&y0+i*ROW<H;i++){g.fillStyle=colours.ink;
            const y=y0+i*ROW+ROW/2;if(y>TOP-4)g.fillText(fit(rows[i][0],gutter-22),gutter-10,y);}
          if(!rows.length){g.textAlign='center';g.fillStyle=colours.faint;
            g.fillText(D.lanes.length?'No worker has such a name.':'No entries in this time.',W/2,TOP+24);}
          $('range').textContent=when(from)+' – '+when(to)+' · '+span(to-from)+(D.zones.length?'':' of virtual time');
        }
        function label(s,at){const w=g.measureText(s).width/2+2;g.fillText(s,Math.min(Math.max(at,gutter+w),W-w),9);}
        function mark(m,y){if(m[1]<from||m[1]>to)return;g.save();g.translate(x(m[1]),y);
          g.strokeStyle=colours.ground;g.lineWidth=2;g.stroke(shapes[m[0]]);
          g.fillStyle=colours[D.kinds[m[0]][0]];g.fill(shapes[m[0]]);g.restore();}
        function fit(s,w){if(g.measureText(s).width<=w)return s;
          let a=[...s];while(a.length&&g.measureText(a.join('')+'…').width>w)a.pop();return a.join('')+'…';}
        let due=0;function later(){if(!due)due=requestAnimationFrame(()=>{due=0;draw();});}
        function size(){W=view.clientWidth;H=view.clientHeight;const r=devicePixelRatio||1;
          canvas.width=W*r;canvas.height=H*r;canvas.style.width=W+'px';canvas.style.height=H+'px';
          g.font="12px system-ui,'DejaVu Sans',sans-serif";
          gutter=Math.min(Math.max(70,...D.lanes.map(l=>g.measureText(l[0]).width)),Math.min(240,W*.35))+26;
          spacer.style.height=Math.max(0,TOP+rows.length*ROW+10-H)+'px';draw();}
        function zoom(f,at){const t=at??(from+to)/2,w=Math.min(Math.max((to-from)*f,1e3),D.span);
          from=t-(t-from)*w/(to-from);from=Math.min(Math.max(from,0),D.span-w);to=from+w;later();}
        function pan(d){const w=to-from;from=Math.min(Math.max(from+d,0),D.span-w);to=from+w;later();}
        canvas.addEventListener('wheel',e=>{
          if(e.ctrlKey||e.shiftKey||e.metaKey){e.preventDefault();zoom(Math.exp((e.deltaY||e.deltaX)*.0015),time(e.offsetX));}
          else if(Math.abs(e.deltaX)>Math.abs(e.deltaY)){e.preventDefault();pan(e.deltaX/(W-gutter)*(to-from));}},{passive:false});
        let drag=null;
        canvas.addEventListener('pointerdown',e=>{drag=[e.clientX,from];canvas.setPointerCapture(e.pointerId);});
        canvas.addEventListener('pointerup',()=>drag=null);
        canvas.addEventListener('dblclick',e=>zoom(.4,time(e.offsetX)));
        canvas.addEventListener('pointerleave',()=>tip.hidden=true);
        canvas.addEventListener('pointermove',e=>{
          if(drag){tip.hidden=true;const w=to-from;from=drag[1];to=from+w;pan((drag[0]-e.clientX)/(W-gutter)*w);return;}
          const words=under(e.offsetX,e.offsetY);tip.hidden=!words;if(!words)return;tip.textContent=words;
          const r=tip.getBoundingClientRect();
          tip.style.left=Math.max(4,Math.min(e.clientX+14,innerWidth-r.width-8))+'px';
          tip.style.top=(e.clientY+18+r.height>innerHeight?e.clientY-r.height-10:e.clientY+18)+'px';});
        const describe=m=>when(m[1])+'  '+D.kinds[m[0]][1]+(m[3]>1?' ×'+m[3]:'')+(D.texts[m[2]]?': '+D.texts[m[2]]:'');
        function under(px,py){
          if(px<gutter-4)return '';const t=time(px),near=6/(W-gutter)*(to-from),out=[];
          for(const p of D.pressure)if(p[1]<=t&&t<p[2])out.push('memory '+(p[0]?'critical':'warning')+' for '+span(p[2]-p[1]));
          if(py<TOP){for(const m of D.marks)if(Math.abs(m[1]-t)<near)out.push(describe(m));return out.slice(0,12).join('\n');}
          const lane=rows[Math.floor((py-TOP+view.scrollTop)/ROW)];if(!lane)return out.join('\n');
          out.unshift(lane[0]);
          for(const v of lane[1])if(v[1]<=t&&t<v[2])out.push(D.states[v[0]][1]+' for '+span(v[2]-v[1])+
            (D.texts[v[3]]?' ('+D.texts[v[3]]+')':'')+'\n'+when(v[1])+' – '+when(v[2])+
            (v[4]?'\nwith '+v[4]+' more changes, too short to be shown':''));
          const marks=lane[2].filter(m=>Math.abs(m[1]-t)<near);for(const m of marks.slice(0,8))out.push(describe(m));
          if(marks.length>8)out.push('and '+(marks.length-8)+' more');
          return out.join('\n');}
        function filter(){const w=$('filter').value.trim().toLowerCase();rows=D.lanes.filter(l=>l[0].toLowerCase().includes(w));
          $('count').textContent=rows.length+' of '+D.lanes.length;view.scrollTop=0;size();}
        $('filter').addEventListener('input',filter);view.addEventListener('scroll',later);
        $('in').onclick=()=>zoom(.5);$('out').onclick=()=>zoom(2);$('fit').onclick=()=>{from=0;to=D.span;later();};
        addEventListener('keydown',e=>{if(e.target===$('filter')){if(e.key==='Escape')$('filter').blur();return;}
          if(e.ctrlKey||e.metaKey||e.altKey)return;
          const k={'+':()=>zoom(.5),'=':()=>zoom(.5),'-':()=>zoom(2),'0':()=>$('fit').click(),'/':()=>$('filter').focus(),
            ArrowLeft:()=>pan((from-to)*.1),ArrowRight:()=>pan((to-from)*.1)}[e.key];if(k){e.preventDefault();k();}});
        const NS='http://www.w3.org/2000/svg';
        function swatch(inner,words){const s=document.createElement('span'),v=document.createElementNS(NS,'svg');
          v.setAttribute('width',18);v.setAttribute('height',14);v.append(inner);s.append(v,words);$('legend').append(s);}
        function shape(tag,attributes){const n=document.createElementNS(NS,tag);
          for(const a in attributes)n.setAttribute(a,attributes[a]);return n;}
        D.states.forEach((s,i)=>{const h=Math.max(14*D.heights[i],2);
          swatch(shape('rect',{width:18,height:h,y:7-h/2,fill:'var(--'+s[0]+')'}),s[1]);});
        D.kinds.forEach((k,i)=>swatch(shape('path',{d:D.shapes[i],transform:'translate(9 7)',fill:'var(--'+k[0]+')'}),k[1]));
        swatch(shape('rect',{width:18,height:14,fill:'var(--short)'}),'memory short');
        swatch(shape('rect',{width:18,height:14,fill:'var(--critical)'}),'memory critical');
        matchMedia('(prefers-color-scheme:dark)').addEventListener('change',()=>{readColours();draw();});
        addEventListener('resize',size);readColours();filter();
        """#
}
