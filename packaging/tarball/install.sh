#!/bin/sh
# Installs Torpor, and uninstalls exactly what it installed; README says how.
#
# PREFIX/lib/torpor/installed lists what it made: a line `f SHA256 PATH`, `l TARGET PATH` or `d PATH` each, paths below the prefix, and
# `p PATH` for directories above it.
set -eu
umask 022

fail() {
    status=$1
    shift
    echo "install.sh: $*" >&2
    exit "$status"
}

prefix=/usr/local
verb=install
while [ $# -gt 0 ]; do
    case $1 in
    --prefix) [ $# -ge 2 ] || fail 64 "--prefix takes a directory"; prefix=$2; shift ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    --uninstall) verb=uninstall ;;
    -h | --help) echo "usage: [DESTDIR=DIRECTORY] install.sh [--prefix DIRECTORY] [--uninstall]"; exit 0 ;;
    *) fail 64 "unknown argument $1; usage: [DESTDIR=DIRECTORY] install.sh [--prefix DIRECTORY] [--uninstall]" ;;
    esac
    shift
done
case $prefix in /*) ;; *) fail 64 "--prefix takes an absolute path, not $prefix" ;; esac
case $prefix in *[!A-Za-z0-9/._+-]*) fail 64 "--prefix takes a path of letters, digits and / . _ + -, not $prefix" ;; esac
# Longer than / without its end.
while [ "$prefix" != / ] && [ "${prefix%/}" != "$prefix" ]; do prefix=${prefix%/}; done
[ "$prefix" != / ] || fail 64 "--prefix may not be the root directory"
here=$(cd "$(dirname "$0")" && pwd)
root=${DESTDIR-}$prefix
list=$root/lib/torpor/installed

hash_of() { sha256sum "$1" | cut -d ' ' -f 1; }

# is_ours PATH LIST: whether the file or link is as the list says.
is_ours() {
    if [ -h "$root/$1" ]; then
        grep -qxF "l $(readlink "$root/$1") $1" "$2"
    else
        [ -f "$root/$1" ] && grep -qxF "f $(hash_of "$root/$1") $1" "$2"
    fi
}

# remove LIST: removes what it lists and is unchanged, and the directories that are empty then. Fails if something was left.
remove() {
    left=0
    while read -r kind _ path; do
        case $kind in d | p) continue ;; esac
        # What was to be copied when an installation was interrupted.
        rm -f "$root/$path.torpor-new"
        if [ ! -e "$root/$path" ] && [ ! -h "$root/$path" ]; then continue; fi
        if is_ours "$path" "$1"; then
            rm -f "$root/$path"
        else
            echo "install.sh: $root/$path was changed after it was installed, and is kept" >&2
            left=1
        fi
    done <"$1"
    # The deepest first.
    sed -n 's/^d //p' "$1" | sort -r | while read -r path; do
        if [ "$path" = . ]; then path=$root; else path=$root/$path; fi
        [ ! -d "$path" ] || rmdir "$path" 2>/dev/null || true
    done
    sed -n 's/^p //p' "$1" | sort -r | while read -r path; do
        [ ! -d "${DESTDIR-}$path" ] || rmdir "${DESTDIR-}$path" 2>/dev/null || true
    done
    return $left
}

if [ $verb = uninstall ]; then
    [ -f "$list" ] || fail 69 "nothing was installed in $root: there is no $list"
    if [ -z "${DESTDIR-}" ] && command -v systemctl >/dev/null && systemctl --quiet is-active torpord.service 2>/dev/null &&
        [ "$(systemctl show --property=FragmentPath --value torpord.service)" = "$prefix/lib/systemd/system/torpord.service" ]; then
        fail 75 "torpord.service runs: stop it and its workers first, systemctl disable --now torpord.socket torpor-workers.service torpord.service"
    fi
    copy=$(mktemp)
    trap 'rm -f "$copy"' EXIT
    cp "$list" "$copy"
    rm -f "$list"
    remove "$copy" || exit 1
    exit 0
fi

[ -d "$here/files" ] || fail 69 "there is no $here/files: call install.sh where the tarball was unpacked"
version=$("$here/files/lib/torpor/torpor" --version 2>&1) ||
    fail 69 "the programs do not run here: they need a $(uname -m) Linux of their architecture and glibc $(cat "$here/glibc"): $version"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$here/files" "$work/files"
cd "$work/files"
# The paths of the programs, which are those of the Debian package in what is copied.
for file in lib/systemd/*/*.service lib/torpor/keeper; do
    sed -e "s:=/usr/bin/torpor:=$prefix/bin/torpor:" -e "s:=/usr/lib/torpor/:=$prefix/lib/torpor/:" \
        -e "s:^\( *\)exec torpor :\1exec $prefix/bin/torpor :" "$file" >"$work/changed"
    cat "$work/changed" >"$file"
done
mkdir bin
for program in torpor torpord; do ln -s ../lib/torpor/$program bin/$program; done
cp "$here/install.sh" lib/torpor/install.sh
printf '#!/bin/sh\nexec "$(dirname "$0")/install.sh" --prefix %s --uninstall\n' "$prefix" >lib/torpor/uninstall
chmod 755 lib/torpor/install.sh lib/torpor/uninstall

# What is there and is not of an earlier installation.
: >"$work/earlier"
[ ! -f "$list" ] || cp "$list" "$work/earlier"
foreign=
for path in $(find . ! -type d | sed 's:^\./::' | sort); do
    if [ -e "$root/$path" ] || [ -h "$root/$path" ]; then
        is_ours "$path" "$work/earlier" || foreign="$foreign $root/$path"
    fi
done
[ -z "$foreign" ] || fail 73 "not installed by this script, or changed since, and not touched:$foreign. Move them away first."

# The list first: whatever happens from here on can be undone.
{
    # Directories of an earlier version stay known as made by this script.
    {
        sed -n 's/^d //p' "$work/earlier"
        find . -type d | sed 's:^\./::' | while read -r path; do
            if [ "$path" = . ]; then [ -d "$root" ] || echo .; else [ -d "$root/$path" ] || echo "$path"; fi
        done
    } | sort -u | sed 's/^/d /'
    grep '^p ' "$work/earlier" || true
    above=$(dirname "$prefix")
    while [ ! -d "${DESTDIR-}$above" ]; do
        echo "p $above"
        [ "$above" != / ] || break
        above=$(dirname "$above")
    done
    find . -type f | sed 's:^\./::' | sort | while read -r path; do echo "f $(hash_of "$path") $path"; done
    find . -type l | sed 's:^\./::' | sort | while read -r path; do echo "l $(readlink "$path") $path"; done
} >"$work/installed"
mkdir -p "$root/lib/torpor" 2>"$work/why" || fail 77 "cannot create $root/lib/torpor: $(cat "$work/why")"
# Until all is there, files of both versions are known.
sort -u "$work/earlier" "$work/installed" >"$work/both"
cp "$work/both" "$list" || fail 77 "cannot write $list"
find . -type d | sort | while read -r path; do mkdir -p "$root/$path" || exit 1; done ||
    fail 74 "not all directories could be created; install.sh --uninstall removes those that were"
find . ! -type d | sort | while read -r path; do
    # Beside it and then into its place: a program that runs cannot be overwritten.
    cp -P "$path" "$root/$path.torpor-new" && mv -f "$root/$path.torpor-new" "$root/$path" || exit 1
done || fail 74 "not all could be copied; install.sh --uninstall removes what was"
# Files of the earlier version that this one has not.
sed -n 's/^[fl] [^ ]* //p' "$work/earlier" | while read -r path; do
    if [ ! -e "$work/files/$path" ] && [ ! -h "$work/files/$path" ] && is_ours "$path" "$work/earlier"; then rm -f "$root/$path"; fi
done
cp "$work/installed" "$list"
echo "Torpor $version is installed in $root; $prefix/lib/torpor/uninstall removes it."
case $prefix in
/usr | /usr/local) ;;
*) echo "systemd does not look for units in $prefix/lib/systemd: systemctl link $prefix/lib/systemd/system/* makes them known," \
    "and systemctl --user link $prefix/lib/systemd/user/* those of a user." ;;
esac
if [ -s "$work/earlier" ]; then echo "A running daemon is replaced in place by: torpor reexec"; fi
