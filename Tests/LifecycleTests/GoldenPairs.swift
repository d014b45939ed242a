/// The result of every event in every state and stage.
///
/// `⇒S` a new goal · `(failed)` a new reason for not running · `again` it is launched again after its end · `→B` a change of state ·
/// `+wT` a callback · `⟳F`, `⟳B` a launch into foreground or background · `❄` freeze · `☀` thaw · `TERM`, `KILL` the stop signal and
/// SIGKILL · `†crashed` a termination record · `no/barred` a refusal · `·` no effect; the other signs are at `Shorthand`, which makes the cells.
///
/// After a change of the model that is meant to alter the tables, print the current ones:
///
///     swift test --filter 'mean what the table says'
///
/// The failure has them; review the difference, then paste them here.
enum GoldenPairs {
    static let atRest = """
        event              | never launched    | failed            | evicted           | force-quit                    | backing off
        wanted active      | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A                         | ⟳F
        wanted inactive    | no/onlyFromActive | no/onlyFromActive | no/onlyFromActive | no/onlyFromActive             | no/onlyFromActive
        wanted background  | ⟳B ⇒B             | ⟳B ⇒B             | ⟳B ⇒B             | ⟳B ⇒B                         | ⟳B ⇒B
        wanted suspended   | no/notRunning     | no/notRunning     | no/notRunning     | no/notRunning                 | no/notRunning
        wanted notRunning  | ·                 | ·                 | ·                 | ·                             | ⇒N (failed)
        idles              | no/notRunning     | no/notRunning     | no/notRunning     | no/notRunning                 | no/notRunning
        prelaunch          | ⟳B ⇒S             | ⟳B ⇒S             | ⟳B ⇒S             | no/forceQuit                  | ·
        boot               | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A             | no/forceQuit                  | ·
        resume             | no/notRunning     | no/notRunning     | no/notRunning     | no/notRunning                 | no/notRunning
        restart            | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A                         | ⟳F
        force-quit         | (forceQuit)       | (forceQuit)       | (forceQuit)       | ·                             | ⇒N (forceQuit)
        evicted            | no/notRunning     | no/notRunning     | no/notRunning     | no/notRunning                 | no/notRunning
        woken, foreground  | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A                         | ·
        woken, background  | ⟳B ⇒S             | ⟳B ⇒S             | ⟳B ⇒S             | no/forceQuit                  | ·
        url                | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A                         | ·
        activity           | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A                         | ·
        notification       | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A             | ⟳F ⇒A                         | ·
        fetch              | ⟳B ⇒S             | ⟳B ⇒S             | ⟳B ⇒S             | -fetch/forceQuit              | ·
        transfer           | ⟳B ⇒S             | ⟳B ⇒S             | ⟳B ⇒S             | -transfer/forceQuit           | ·
        silentNotification | ⟳B ⇒S             | ⟳B ⇒S             | ⟳B ⇒S             | -silentNotification/forceQuit | ·
        processing         | ⟳B ⇒S             | ⟳B ⇒S             | ⟳B ⇒S             | -processing/forceQuit         | ·
        interrupted        | ·                 | ·                 | ·                 | ·                             | ·
        interruption ended | ·                 | ·                 | ·                 | ·                             | ·
        memory warning     | ·                 | ·                 | ·                 | ·                             | ·
        time change        | ·                 | ·                 | ·                 | ·                             | ·
        no announcement    | ?                 | ?                 | ?                 | ?                             | ?
        queue              | ·                 | ·                 | ·                 | ·                             | ·
        foreground's queue | ·                 | ·                 | ·                 | ·                             | ·
        work revoked       | ·                 | ·                 | ·                 | ·                             | ·
        in use             | ·                 | ·                 | ·                 | ·                             | ·
        not in use         | ·                 | ·                 | ·                 | ·                             | ·
        policy changed     | ·                 | ·                 | ·                 | ·                             | ·
        state saved        | ·                 | ·                 | ·                 | ·                             | ·
        launched           | ?                 | ?                 | ?                 | ?                             | ?
        launch failed      | ?                 | ?                 | ?                 | ?                             | ?
        launch abandoned   | ?                 | ?                 | ?                 | ?                             | ?
        exit 0             | ?                 | ?                 | ?                 | ?                             | ?
        exit 1             | ?                 | ?                 | ?                 | ?                             | ?
        SIGKILL            | ?                 | ?                 | ?                 | ?                             | ?
        SIGKILL, OOM       | ?                 | ?                 | ?                 | ?                             | ?
        SIGSEGV            | ?                 | ?                 | ?                 | ?                             | ?
        exit unknown       | ?                 | ?                 | ?                 | ?                             | ?
        frozen             | ?                 | ?                 | ?                 | ?                             | ?
        freeze failed      | ?                 | ?                 | ?                 | ?                             | ?
        freeze refused     | ?                 | ?                 | ?                 | ?                             | ?
        thawed             | ?                 | ?                 | ?                 | ?                             | ?
        stopped outside    | ?                 | ?                 | ?                 | ?                             | ?
        continued outside  | ?                 | ?                 | ?                 | ?                             | ?
        holds nothing      | ?                 | ?                 | ?                 | ?                             | ?
        holds a lock       | ?                 | ?                 | ?                 | ?                             | ?
        holds a device     | ?                 | ?                 | ?                 | ?                             | ?
        too much CPU       | ?                 | ?                 | ?                 | ?                             | ?
        CPU time           | ?                 | ?                 | ?                 | ?                             | ?
        used               | ·                 | ·                 | ·                 | ·                             | ·
        start failed       | ?                 | ?                 | ?                 | ?                             | ?
        READY              | ?                 | ?                 | ?                 | ?                             | ?
        RELOADING          | ?                 | ?                 | ?                 | ?                             | ?
        STOPPING           | ?                 | ?                 | ?                 | ?                             | ?
        EXTEND_TIMEOUT     | ?                 | ?                 | ?                 | ?                             | ?
        WATCHDOG=1         | ?                 | ?                 | ?                 | ?                             | ?
        WATCHDOG=trigger   | ?                 | ?                 | ?                 | ?                             | ?
        WATCHDOG_USEC      | ?                 | ?                 | ?                 | ?                             | ?
        IN_USE=1           | ?                 | ?                 | ?                 | ?                             | ?
        IN_USE=0           | ?                 | ?                 | ?                 | ?                             | ?
        MAINPID            | ?                 | ?                 | ?                 | ?                             | ?
        attached           | ?                 | ?                 | ?                 | ?                             | ?
        detached           | ?                 | ?                 | ?                 | ?                             | ?
        done               | ?                 | ?                 | ?                 | ?                             | ?
        refused            | ?                 | ?                 | ?                 | ?                             | ?
        hook failed        | ?                 | ?                 | ?                 | ?                             | ?
        activity over      | ?                 | ?                 | ?                 | ?                             | ?
        stale completion   | ?                 | ?                 | ?                 | ?                             | ?
        task begun         | =notRunning       | =notRunning       | =notRunning       | =notRunning                   | =notRunning
        held               | =notRunning       | =notRunning       | =notRunning       | =notRunning                   | =notRunning
        task ended         | =noSuchTask       | =noSuchTask       | =noSuchTask       | =noSuchTask                   | =noSuchTask
        foreground taken   | ·                 | ·                 | ·                 | ·                             | ·
        foreground free    | ·                 | ·                 | ·                 | ·                             | ·
        stalled            | ·                 | ·                 | ·                 | ·                             | ·
        launch overdue     | ·                 | ·                 | ·                 | ·                             | ·
        callback overdue   | ·                 | ·                 | ·                 | ·                             | ·
        tasks overdue      | ·                 | ·                 | ·                 | ·                             | ·
        fetch overdue      | ·                 | ·                 | ·                 | ·                             | ·
        hold overdue       | ·                 | ·                 | ·                 | ·                             | ·
        looked again       | ·                 | ·                 | ·                 | ·                             | ·
        idle over          | ·                 | ·                 | ·                 | ·                             | ·
        end overdue        | ·                 | ·                 | ·                 | ·                             | ·
        backoff over       | ·                 | ·                 | ·                 | ·                             | ⟳F
        freeze due         | ·                 | ·                 | ·                 | ·                             | ·
        stale timer        | ·                 | ·                 | ·                 | ·                             | ·
        """
    static let launching = """
        event              | spawning                   | doomed                        | attaching                   | finishing                         | restoring                                 | not ready
        wanted active      | ·                          | ⇒A again                      | ·                           | ·                                 | ·                                         | ·
        wanted inactive    | no/onlyFromActive          | no/onlyFromActive             | no/onlyFromActive           | no/onlyFromActive                 | no/onlyFromActive                         | no/onlyFromActive
        wanted background  | ⇒B                         | ⇒B again                      | ⇒B                          | ⇒B                                | ⇒B                                        | ⇒B
        wanted suspended   | ⇒S                         | no/notRunning                 | ⇒S                          | ⇒S                                | ⇒S                                        | ⇒S
        wanted notRunning  | ⇒N                         | ·                             | TERM ⇒N                     | -url/ended TERM ⇒N                | TERM ⇒N                                   | TERM ⇒N
        idles              | ⇒S                         | no/notRunning                 | ⇒S                          | ⇒S                                | ⇒S                                        | ⇒S
        prelaunch          | ·                          | no/forceQuit                  | ·                           | ·                                 | ·                                         | ·
        boot               | ·                          | no/forceQuit                  | ·                           | ·                                 | ·                                         | ·
        resume             | no/notRunning              | no/notRunning                 | ·                           | ·                                 | ·                                         | ·
        restart            | ·                          | ⇒A again                      | TERM again                  | TERM again                        | TERM again                                | TERM again
        force-quit         | KILL ⇒N                    | ·                             | KILL ⇒N                     | -url/forceQuit KILL ⇒N            | save/dropped KILL ⇒N                      | KILL ⇒N
        evicted            | no/notRunning              | no/notRunning                 | TERM ⇒N                     | -url/ended TERM ⇒N                | TERM ⇒N                                   | TERM ⇒N
        woken, foreground  | ·                          | ⇒A again                      | ·                           | ·                                 | ·                                         | ·
        woken, background  | ·                          | no/forceQuit                  | ·                           | ·                                 | ·                                         | ·
        url                | ·                          | ⇒A again                      | ·                           | ·                                 | ·                                         | ·
        activity           | ·                          | ⇒A again                      | ·                           | ·                                 | ·                                         | ·
        notification       | ·                          | ⇒A again                      | ·                           | ·                                 | ·                                         | ·
        fetch              | ·                          | -fetch/forceQuit              | ·                           | ·                                 | ·                                         | ·
        transfer           | ·                          | -transfer/forceQuit           | ·                           | ·                                 | ·                                         | ·
        silentNotification | ·                          | -silentNotification/forceQuit | ·                           | ·                                 | ·                                         | ·
        processing         | ·                          | -processing/forceQuit         | ·                           | ·                                 | ·                                         | ·
        interrupted        | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        interruption ended | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        memory warning     | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        time change        | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        no announcement    | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        queue              | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        foreground's queue | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        work revoked       | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        in use             | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        not in use         | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        policy changed     | ·                          | ·                             | ·                           | ·                                 | ·                                         | up →A
        state saved        | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        launched           | →I                         | →I KILL                       | ?                           | ?                                 | ?                                         | ?
        launch failed      | †launchFailed (backingOff) | †forceQuit (forceQuit)        | ?                           | ?                                 | ?                                         | ?
        launch abandoned   | †stopped ⟳F                | †forceQuit (forceQuit)        | ?                           | ?                                 | ?                                         | ?
        exit 0             | ?                          | ?                             | †exited →N ⇒N (exited)      | †exited →N -url/ended ⇒N (exited) | †exited →N save/setAside ⇒N (exited)      | †exited →N ⇒N (exited)
        exit 1             | ?                          | ?                             | †failed →N (backingOff)     | †failed →N (backingOff)           | †failed →N save/setAside (backingOff)     | †failed →N (backingOff)
        SIGKILL            | ?                          | ?                             | †crashed →N (backingOff)    | †crashed →N (backingOff)          | †crashed →N save/setAside (backingOff)    | †crashed →N (backingOff)
        SIGKILL, OOM       | ?                          | ?                             | †kernel-oom →N (backingOff) | †kernel-oom →N (backingOff)       | †kernel-oom →N save/setAside (backingOff) | †kernel-oom →N (backingOff)
        SIGSEGV            | ?                          | ?                             | †crashed →N (backingOff)    | †crashed →N (backingOff)          | †crashed →N save/setAside (backingOff)    | †crashed →N (backingOff)
        exit unknown       | ?                          | ?                             | †failed →N (backingOff)     | †failed →N (backingOff)           | †failed →N save/setAside (backingOff)     | †failed →N (backingOff)
        frozen             | ?                          | ?                             | ☀ ?                         | ☀ ?                               | ☀ ?                                       | ☀ ?
        freeze failed      | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        freeze refused     | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        thawed             | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        stopped outside    | ?                          | ?                             | →B →S                       | →B →S                             | →B →S                                     | →B →S
        continued outside  | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        holds nothing      | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        holds a lock       | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        holds a device     | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        too much CPU       | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        CPU time           | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        used               | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        start failed       | ?                          | ?                             | TERM                        | TERM                              | TERM                                      | TERM
        READY              | ?                          | ?                             | ·                           | ·                                 | ·                                         | up →A
        RELOADING          | ?                          | ?                             | ·                           | ·                                 | ·                                         | ·
        STOPPING           | ?                          | ?                             | ·                           | ·                                 | ·                                         | ·
        EXTEND_TIMEOUT     | ?                          | ?                             | ·                           | ·                                 | ·                                         | ·
        WATCHDOG=1         | ?                          | ?                             | ·                           | ·                                 | ·                                         | ·
        WATCHDOG=trigger   | ?                          | ?                             | KILL                        | KILL                              | KILL                                      | KILL
        WATCHDOG_USEC      | ?                          | ?                             | ·                           | ·                                 | ·                                         | ·
        IN_USE=1           | ?                          | ?                             | ·                           | ·                                 | ·                                         | ·
        IN_USE=0           | ?                          | ?                             | ·                           | ·                                 | ·                                         | ·
        MAINPID            | ?                          | ?                             | ·                           | ·                                 | ·                                         | ·
        attached           | ?                          | ?                             | +wFL                        | ·                                 | ·                                         | ·
        detached           | ?                          | ?                             | ?                           | ·                                 | ·                                         | ?
        done               | ?                          | ?                             | ?                           | +dFL                              | +dFL                                      | ?
        refused            | ?                          | ?                             | ?                           | +dFL                              | +dFL                                      | ?
        hook failed        | ?                          | ?                             | ?                           | +dFL                              | +dFL                                      | ?
        activity over      | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        stale completion   | ?                          | ?                             | ?                           | ?                                 | ?                                         | ?
        task begun         | =notRunning                | =notRunning                   | =began                      | =began                            | =began                                    | =began
        held               | =notRunning                | =notRunning                   | =began                      | =began                            | =began                                    | =began
        task ended         | =noSuchTask                | =noSuchTask                   | =noSuchTask                 | =noSuchTask                       | =noSuchTask                               | =noSuchTask
        foreground taken   | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        foreground free    | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        stalled            | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        launch overdue     | KILL                       | ·                             | KILL                        | KILL                              | KILL                                      | KILL
        callback overdue   | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        tasks overdue      | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        fetch overdue      | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        hold overdue       | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        looked again       | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        idle over          | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        end overdue        | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        backoff over       | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        freeze due         | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        stale timer        | ·                          | ·                             | ·                           | ·                                 | ·                                         | ·
        """
    static let foreground = """
        event              | inactive                    | interrupted                 | reloading                   | active                      | becoming active             | resigning
        wanted active      | →A +dBA ⇒A                  | ·                           | ·                           | ·                           | ·                           | ⇒A
        wanted inactive    | no/onlyFromActive           | no/onlyFromActive           | no/onlyFromActive           | +wRA ⇒I                     | ⇒I                          | ⇒I
        wanted background  | →B +dEB ⇒B                  | →B +dEB ⇒B                  | →B +dEB ⇒B                  | +wRA ⇒B                     | ⇒B                          | ⇒B
        wanted suspended   | →B +dEB ⇒S                  | →B +dEB ⇒S                  | →B +dEB ⇒S                  | +wRA ⇒S                     | ⇒S                          | ·
        wanted notRunning  | +wT ⇒N                      | +wT ⇒N                      | +wT ⇒N                      | +wRA ⇒N                     | ⇒N                          | ⇒N
        idles              | →B +dEB ⇒S                  | →B +dEB ⇒S                  | →B +dEB ⇒S                  | +wRA ⇒S                     | ⇒S                          | ·
        prelaunch          | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        boot               | →A +dBA ⇒A                  | ·                           | ·                           | ·                           | ·                           | ⇒A
        resume             | ·                           | ·                           | ·                           | ·                           | ·                           | ⇒A
        restart            | +wT again                   | +wT again                   | +wT again                   | +wRA again                  | again                       | again
        force-quit         | KILL ⇒N                     | KILL ⇒N                     | KILL ⇒N                     | KILL ⇒N                     | KILL ⇒N                     | KILL ⇒N
        evicted            | +wT ⇒N                      | +wT ⇒N                      | +wT ⇒N                      | +wT ⇒N                      | ⇒N                          | ⇒N
        woken, foreground  | →A +dBA ⇒A                  | ·                           | ·                           | ·                           | ·                           | ⇒A
        woken, background  | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        url                | +url ⇒A                     | +url                        | +url                        | +url                        | ·                           | ⇒A
        activity           | +act ⇒A                     | +act                        | +act                        | +act                        | ·                           | ⇒A
        notification       | +note ⇒A                    | +note                       | +note                       | +note                       | ·                           | ⇒A
        fetch              | +fetch                      | +fetch                      | +fetch                      | +fetch                      | ·                           | ·
        transfer           | +trans                      | +trans                      | +trans                      | +trans                      | ·                           | ·
        silentNotification | +note                       | +note                       | +note                       | +note                       | ·                           | ·
        processing         | +work                       | +work                       | +work                       | +work                       | ·                           | ·
        interrupted        | ·                           | ·                           | ·                           | +wRA                        | ·                           | ·
        interruption ended | ·                           | →A +dBA                     | ·                           | ·                           | ·                           | ·
        memory warning     | +mem                        | +mem                        | +mem                        | +mem                        | ·                           | ·
        time change        | +time                       | +time                       | +time                       | +time                       | ·                           | ·
        no announcement    | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        queue              | +note                       | +note                       | +note                       | +note                       | ·                           | ·
        foreground's queue | +note                       | +note                       | +note                       | +note                       | ·                           | ·
        work revoked       | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        in use             | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        not in use         | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        policy changed     | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        state saved        | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        launched           | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        launch failed      | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        launch abandoned   | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        exit 0             | †exited →N ⇒N (exited)      | †exited →N ⇒N (exited)      | †exited →N ⇒N (exited)      | †exited →N ⇒N (exited)      | †exited →N ⇒N (exited)      | †exited →N ⇒N (exited)
        exit 1             | †failed →N (backingOff)     | †failed →N (backingOff)     | †failed →N (backingOff)     | †failed →N (backingOff)     | †failed →N (backingOff)     | †failed →N ⇒N (failed)
        SIGKILL            | †crashed →N (backingOff)    | †crashed →N (backingOff)    | †crashed →N (backingOff)    | †crashed →N (backingOff)    | †crashed →N (backingOff)    | †crashed →N ⇒N (failed)
        SIGKILL, OOM       | †kernel-oom →N (backingOff) | †kernel-oom →N (backingOff) | †kernel-oom →N (backingOff) | †kernel-oom →N (backingOff) | †kernel-oom →N (backingOff) | †kernel-oom →N ⇒N (failed)
        SIGSEGV            | †crashed →N (backingOff)    | †crashed →N (backingOff)    | †crashed →N (backingOff)    | †crashed →N (backingOff)    | †crashed →N (backingOff)    | †crashed →N ⇒N (failed)
        exit unknown       | †failed →N (backingOff)     | †failed →N (backingOff)     | †failed →N (backingOff)     | †failed →N (backingOff)     | †failed →N (backingOff)     | †failed →N ⇒N (failed)
        frozen             | ☀ ?                         | ☀ ?                         | ☀ ?                         | ☀ ?                         | ☀ ?                         | ☀ ?
        freeze failed      | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        freeze refused     | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        thawed             | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        stopped outside    | →B →S                       | →B →S                       | →B →S                       | →I →B →S                    | →I →B →S                    | →I →B →S
        continued outside  | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        holds nothing      | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        holds a lock       | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        holds a device     | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        too much CPU       | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        CPU time           | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        used               | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        start failed       | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        READY              | ·                           | ·                           | →A +dBA                     | ·                           | ·                           | ·
        RELOADING          | ·                           | ·                           | ·                           | →I                          | →I                          | →I
        STOPPING           | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        EXTEND_TIMEOUT     | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        WATCHDOG=1         | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        WATCHDOG=trigger   | KILL                        | KILL                        | KILL                        | KILL                        | KILL                        | KILL
        WATCHDOG_USEC      | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        IN_USE=1           | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        IN_USE=0           | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        MAINPID            | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        attached           | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        detached           | ·                           | ·                           | ·                           | ·                           | ·                           | →I →B look
        done               | ?                           | ?                           | ?                           | ?                           | ·                           | →I →B +dEB
        refused            | ?                           | ?                           | ?                           | ?                           | ·                           | →I →B +dEB
        hook failed        | ?                           | ?                           | ?                           | ?                           | ·                           | →I →B +dEB
        activity over      | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        stale completion   | ?                           | ?                           | ?                           | ?                           | ?                           | ?
        task begun         | =began                      | =began                      | =began                      | =began                      | =began                      | =began
        held               | =began                      | =began                      | =began                      | =began                      | =began                      | =began
        task ended         | =noSuchTask                 | =noSuchTask                 | =noSuchTask                 | =noSuchTask                 | =noSuchTask                 | =noSuchTask
        foreground taken   | →B +dEB                     | →B +dEB                     | →B +dEB                     | +wRA                        | ·                           | ·
        foreground free    | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        stalled            | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        launch overdue     | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        callback overdue   | ·                           | ·                           | ·                           | ·                           | KILL                        | KILL
        tasks overdue      | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        fetch overdue      | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        hold overdue       | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        looked again       | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        idle over          | ·                           | ·                           | ·                           | +wRA ⇒S                     | ·                           | ·
        end overdue        | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        backoff over       | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        freeze due         | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        stale timer        | ·                           | ·                           | ·                           | ·                           | ·                           | ·
        """
    static let background = """
        event              | entering                   | held there                  | working                    | fetching                                | processing                                   | returning
        wanted active      | ⇒A                         | +wEF ⇒A                     | +wEF ⇒A                    | +wEF ⇒A                                 | +wEF ⇒A                                      | ·
        wanted inactive    | no/onlyFromActive          | no/onlyFromActive           | no/onlyFromActive          | no/onlyFromActive                       | no/onlyFromActive                            | no/onlyFromActive
        wanted background  | ⇒B                         | ·                           | ⇒B                         | ⇒B                                      | ⇒B                                           | ⇒B
        wanted suspended   | ·                          | look ⇒S                     | ·                          | ·                                       | ·                                            | ⇒S
        wanted notRunning  | ⇒N                         | +wT ⇒N                      | +wT ⇒N                     | +wT ⇒N                                  | +wT ⇒N                                       | ⇒N
        idles              | ·                          | look ⇒S                     | ·                          | ·                                       | ·                                            | ⇒S
        prelaunch          | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        boot               | ⇒A                         | +wEF ⇒A                     | +wEF ⇒A                    | +wEF ⇒A                                 | +wEF ⇒A                                      | ·
        resume             | ⇒A                         | ·                           | ⇒B                         | ⇒B                                      | ⇒B                                           | ·
        restart            | again                      | +wT again                   | +wT again                  | +wT again                               | +wT again                                    | again
        force-quit         | KILL ⇒N                    | KILL ⇒N                     | KILL ⇒N                    | KILL ⇒N                                 | KILL ⇒N                                      | KILL ⇒N
        evicted            | ⇒N                         | +wT ⇒N                      | +wT ⇒N                     | +wT ⇒N                                  | +wT ⇒N                                       | ⇒N
        woken, foreground  | ⇒A                         | +wEF ⇒A                     | +wEF ⇒A                    | +wEF ⇒A                                 | +wEF ⇒A                                      | ·
        woken, background  | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        url                | ⇒A                         | +wEF ⇒A                     | +wEF ⇒A                    | +wEF ⇒A                                 | +wEF ⇒A                                      | ·
        activity           | ⇒A                         | +wEF ⇒A                     | +wEF ⇒A                    | +wEF ⇒A                                 | +wEF ⇒A                                      | ·
        notification       | ⇒A                         | +wEF ⇒A                     | +wEF ⇒A                    | +wEF ⇒A                                 | +wEF ⇒A                                      | ·
        fetch              | ·                          | +fetch                      | +fetch                     | +fetch                                  | +fetch                                       | ·
        transfer           | ·                          | +trans                      | +trans                     | +trans                                  | +trans                                       | ·
        silentNotification | ·                          | +note                       | +note                      | +note                                   | +note                                        | ·
        processing         | ·                          | +work                       | +work                      | +work                                   | +work                                        | ·
        interrupted        | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        interruption ended | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        memory warning     | ·                          | +mem                        | +mem                       | +mem                                    | +mem                                         | ·
        time change        | ·                          | +time                       | +time                      | +time                                   | +time                                        | ·
        no announcement    | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        queue              | ·                          | +note                       | +note                      | +note                                   | +note                                        | ·
        foreground's queue | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        work revoked       | ·                          | ·                           | ·                          | ·                                       | +exp                                         | ·
        in use             | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        not in use         | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        policy changed     | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        state saved        | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        launched           | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        launch failed      | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        launch abandoned   | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        exit 0             | †exited →N ⇒N (exited)     | †exited →N ⇒N (exited)      | †exited →N ⇒N (exited)     | †exited →N -fetch/ended ⇒N (exited)     | †exited →N -processing/ended ⇒N (exited)     | †exited →N ⇒N (exited)
        exit 1             | †failed →N ⇒N (failed)     | †failed →N (backingOff)     | †failed →N ⇒N (failed)     | †failed →N -fetch/ended ⇒N (failed)     | †failed →N -processing/ended ⇒N (failed)     | †failed →N (backingOff)
        SIGKILL            | †crashed →N ⇒N (failed)    | †crashed →N (backingOff)    | †crashed →N ⇒N (failed)    | †crashed →N -fetch/ended ⇒N (failed)    | †crashed →N -processing/ended ⇒N (failed)    | †crashed →N (backingOff)
        SIGKILL, OOM       | †kernel-oom →N ⇒N (failed) | †kernel-oom →N (backingOff) | †kernel-oom →N ⇒N (failed) | †kernel-oom →N -fetch/ended ⇒N (failed) | †kernel-oom →N -processing/ended ⇒N (failed) | †kernel-oom →N (backingOff)
        SIGSEGV            | †crashed →N ⇒N (failed)    | †crashed →N (backingOff)    | †crashed →N ⇒N (failed)    | †crashed →N -fetch/ended ⇒N (failed)    | †crashed →N -processing/ended ⇒N (failed)    | †crashed →N (backingOff)
        exit unknown       | †failed →N ⇒N (failed)     | †failed →N (backingOff)     | †failed →N ⇒N (failed)     | †failed →N -fetch/ended ⇒N (failed)     | †failed →N -processing/ended ⇒N (failed)     | †failed →N (backingOff)
        frozen             | ☀ ?                        | ☀ ?                         | ☀ ?                        | ☀ ?                                     | ☀ ?                                          | ☀ ?
        freeze failed      | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        freeze refused     | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        thawed             | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        stopped outside    | →S                         | →S                          | →S                         | →S                                      | →S                                           | →S
        continued outside  | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        holds nothing      | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        holds a lock       | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        holds a device     | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        too much CPU       | slow                       | slow                        | slow                       | slow                                    | slow                                         | slow
        CPU time           | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        used               | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        start failed       | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        READY              | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        RELOADING          | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        STOPPING           | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        EXTEND_TIMEOUT     | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        WATCHDOG=1         | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        WATCHDOG=trigger   | KILL                       | KILL                        | KILL                       | KILL                                    | KILL                                         | KILL
        WATCHDOG_USEC      | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        IN_USE=1           | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        IN_USE=0           | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        MAINPID            | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        attached           | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        detached           | look                       | ·                           | ·                          | look                                    | look                                         | →I →A
        done               | +save?                     | ?                           | ?                          | ?                                       | ?                                            | →I →A +dBA
        refused            | +save?                     | ?                           | ?                          | ?                                       | ?                                            | →I →A +dBA
        hook failed        | +save?                     | ?                           | ?                          | ?                                       | ?                                            | →I →A +dBA
        activity over      | ?                          | ?                           | ?                          | look                                    | look                                         | ?
        stale completion   | ?                          | ?                           | ?                          | ?                                       | ?                                            | ?
        task begun         | =began                     | =began                      | =began                     | =began                                  | =began                                       | =began
        held               | =began                     | =began                      | =began                     | =began                                  | =began                                       | =began
        task ended         | =noSuchTask                | =noSuchTask                 | =ended look                | =noSuchTask                             | =noSuchTask                                  | =noSuchTask
        foreground taken   | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        foreground free    | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        stalled            | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        launch overdue     | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        callback overdue   | KILL                       | ·                           | ·                          | ·                                       | ·                                            | KILL
        tasks overdue      | ·                          | ·                           | +exp                       | ·                                       | ·                                            | ·
        fetch overdue      | ·                          | ·                           | ·                          | KILL                                    | +exp                                         | ·
        hold overdue       | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        looked again       | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        idle over          | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        end overdue        | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        backoff over       | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        freeze due         | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        stale timer        | ·                          | ·                           | ·                          | ·                                       | ·                                            | ·
        """
    static let fallingAsleep = """
        event              | inspecting                 | freezing                   | stuck
        wanted active      | ⇒A                         | ⇒A                         | +wEF ⇒A
        wanted inactive    | no/onlyFromActive          | no/onlyFromActive          | no/onlyFromActive
        wanted background  | ⇒B                         | ⇒B                         | ⇒B
        wanted suspended   | ·                          | ·                          | look
        wanted notRunning  | ⇒N                         | ⇒N                         | +wT ⇒N
        idles              | ·                          | ·                          | look
        prelaunch          | ·                          | ·                          | ·
        boot               | ⇒A                         | ⇒A                         | +wEF ⇒A
        resume             | ⇒B                         | ⇒B                         | ⇒B
        restart            | +wT again                  | again                      | +wT again
        force-quit         | KILL ⇒N                    | KILL ⇒N                    | KILL ⇒N
        evicted            | +wT ⇒N                     | ⇒N                         | +wT ⇒N
        woken, foreground  | ⇒A                         | ⇒A                         | +wEF ⇒A
        woken, background  | ·                          | ·                          | ·
        url                | ⇒A                         | ⇒A                         | +wEF ⇒A
        activity           | ⇒A                         | ⇒A                         | +wEF ⇒A
        notification       | ⇒A                         | ⇒A                         | +wEF ⇒A
        fetch              | ·                          | ·                          | +fetch
        transfer           | ·                          | ·                          | +trans
        silentNotification | ·                          | ·                          | +note
        processing         | ·                          | ·                          | +work
        interrupted        | ·                          | ·                          | ·
        interruption ended | ·                          | ·                          | ·
        memory warning     | ·                          | ·                          | +mem
        time change        | ·                          | ·                          | +time
        no announcement    | ?                          | ?                          | ?
        queue              | ·                          | ·                          | +note
        foreground's queue | ·                          | ·                          | ·
        work revoked       | ·                          | ·                          | ·
        in use             | ·                          | ·                          | ·
        not in use         | ·                          | ·                          | ·
        policy changed     | ·                          | ·                          | ·
        state saved        | ·                          | ·                          | ·
        launched           | ?                          | ?                          | ?
        launch failed      | ?                          | ?                          | ?
        launch abandoned   | ?                          | ?                          | ?
        exit 0             | †exited →N ⇒N (exited)     | †exited →N ⇒N (exited)     | †exited →N ⇒N (exited)
        exit 1             | †failed →N ⇒N (failed)     | †failed →N ⇒N (failed)     | †failed →N ⇒N (failed)
        SIGKILL            | †crashed →N ⇒N (failed)    | †crashed →N ⇒N (failed)    | †crashed →N ⇒N (failed)
        SIGKILL, OOM       | †kernel-oom →N ⇒N (failed) | †kernel-oom →N ⇒N (failed) | †kernel-oom →N ⇒N (failed)
        SIGSEGV            | †crashed →N ⇒N (failed)    | †crashed →N ⇒N (failed)    | †crashed →N ⇒N (failed)
        exit unknown       | †failed →N ⇒N (failed)     | †failed →N ⇒N (failed)     | †failed →N ⇒N (failed)
        frozen             | ☀ ?                        | →S                         | ☀ ?
        freeze failed      | ?                          | !freeze                    | ?
        freeze refused     | ?                          | !freeze                    | ?
        thawed             | ?                          | ?                          | ?
        stopped outside    | →S                         | →S                         | →S
        continued outside  | ?                          | ⇒B                         | ?
        holds nothing      | ❄                          | ?                          | ?
        holds a lock       | !holds ❄                   | ?                          | ?
        holds a device     | KILL                       | ?                          | ?
        too much CPU       | slow                       | ?                          | slow
        CPU time           | ?                          | ?                          | ?
        used               | ·                          | ·                          | ·
        start failed       | ?                          | ?                          | ?
        READY              | ·                          | ·                          | ·
        RELOADING          | ·                          | ·                          | ·
        STOPPING           | ·                          | ·                          | ·
        EXTEND_TIMEOUT     | ·                          | ?                          | ·
        WATCHDOG=1         | ·                          | ·                          | ·
        WATCHDOG=trigger   | KILL                       | ?                          | KILL
        WATCHDOG_USEC      | ·                          | ·                          | ·
        IN_USE=1           | ·                          | ·                          | ·
        IN_USE=0           | ·                          | ·                          | ·
        MAINPID            | ·                          | ·                          | ·
        attached           | ·                          | ·                          | ·
        detached           | ·                          | ·                          | ·
        done               | ?                          | ?                          | ?
        refused            | ?                          | ?                          | ?
        hook failed        | ?                          | ?                          | ?
        activity over      | ?                          | ?                          | ?
        stale completion   | ?                          | ?                          | ?
        task begun         | =began                     | =began                     | =began
        held               | =began                     | =began                     | =began
        task ended         | =noSuchTask                | =noSuchTask                | =noSuchTask
        foreground taken   | ·                          | ·                          | ·
        foreground free    | ·                          | ·                          | ·
        stalled            | ·                          | ·                          | ·
        launch overdue     | ·                          | ·                          | ·
        callback overdue   | ·                          | ·                          | ·
        tasks overdue      | ·                          | ·                          | ·
        fetch overdue      | ·                          | ·                          | ·
        hold overdue       | ·                          | ·                          | ·
        looked again       | ·                          | ·                          | ·
        idle over          | ·                          | ·                          | ·
        end overdue        | ·                          | ·                          | ·
        backoff over       | ·                          | ·                          | ·
        freeze due         | ·                          | ·                          | look
        stale timer        | ·                          | ·                          | ·
        """
    static let suspended = """
        event              | asleep                     | held outside                | held in a callback         | thawing
        wanted active      | ☀ ⇒A                       | no/heldOutside              | no/heldOutside ⇒A          | ·
        wanted inactive    | no/onlyFromActive          | no/onlyFromActive           | no/onlyFromActive          | no/onlyFromActive
        wanted background  | ☀ ⇒B                       | no/heldOutside ⇒B           | no/heldOutside ⇒B          | ⇒B
        wanted suspended   | ·                          | ⇒S                          | ·                          | ⇒S
        wanted notRunning  | KILL ⇒N                    | KILL ⇒N                     | KILL ⇒N                    | ⇒N
        idles              | ·                          | ⇒S                          | ·                          | ⇒S
        prelaunch          | ·                          | ·                           | ·                          | ·
        boot               | ☀ ⇒A                       | no/heldOutside              | no/heldOutside ⇒A          | ·
        resume             | ☀ ⇒B                       | ☀                           | ☀ ⇒A                       | ·
        restart            | KILL again                 | KILL again                  | KILL again                 | again
        force-quit         | KILL ⇒N                    | KILL ⇒N                     | KILL ⇒N                    | KILL ⇒N
        evicted            | KILL ⇒N                    | KILL ⇒N                     | KILL ⇒N                    | KILL ⇒N
        woken, foreground  | ☀ ⇒A                       | ·                           | ⇒A                         | ·
        woken, background  | ☀                          | ·                           | ·                          | ·
        url                | ☀ ⇒A                       | ·                           | ⇒A                         | ·
        activity           | ☀ ⇒A                       | ·                           | ⇒A                         | ·
        notification       | ☀ ⇒A                       | ·                           | ⇒A                         | ·
        fetch              | ☀                          | ·                           | ·                          | ·
        transfer           | ☀                          | ·                           | ·                          | ·
        silentNotification | ☀                          | ·                           | ·                          | ·
        processing         | ☀                          | ·                           | ·                          | ·
        interrupted        | ·                          | ·                           | ·                          | ·
        interruption ended | ·                          | ·                           | ·                          | ·
        memory warning     | ?                          | ?                           | ?                          | ?
        time change        | ·                          | ·                           | ·                          | ·
        no announcement    | ?                          | ?                           | ?                          | ?
        queue              | ·                          | ·                           | ·                          | ·
        foreground's queue | ·                          | ·                           | ·                          | ·
        work revoked       | ·                          | ·                           | ·                          | ·
        in use             | ·                          | ·                           | ·                          | ·
        not in use         | ·                          | ·                           | ·                          | ·
        policy changed     | ·                          | ·                           | ·                          | ·
        state saved        | ·                          | ·                           | ·                          | ·
        launched           | ?                          | ?                           | ?                          | ?
        launch failed      | ?                          | ?                           | ?                          | ?
        launch abandoned   | ?                          | ?                           | ?                          | ?
        exit 0             | †exited →N ⇒N (exited)     | †exited →N ⇒N (exited)      | †exited →N ⇒N (exited)     | †exited →N ⇒N (exited)
        exit 1             | †failed →N ⇒N (failed)     | †failed →N (backingOff)     | †failed →N ⇒N (failed)     | †failed →N (backingOff)
        SIGKILL            | †crashed →N ⇒N (failed)    | †crashed →N (backingOff)    | †crashed →N ⇒N (failed)    | †crashed →N (backingOff)
        SIGKILL, OOM       | †kernel-oom →N ⇒N (failed) | †kernel-oom →N (backingOff) | †kernel-oom →N ⇒N (failed) | †kernel-oom →N (backingOff)
        SIGSEGV            | †crashed →N ⇒N (failed)    | †crashed →N (backingOff)    | †crashed →N ⇒N (failed)    | †crashed →N (backingOff)
        exit unknown       | †failed →N ⇒N (failed)     | †failed →N (backingOff)     | †failed →N ⇒N (failed)     | †failed →N (backingOff)
        frozen             | ?                          | ?                           | ?                          | ?
        freeze failed      | ☀ →B look                  | ?                           | ?                          | ?
        freeze refused     | ?                          | ?                           | ?                          | ?
        thawed             | ?                          | ?                           | ?                          | →B +wEF
        stopped outside    | ·                          | ·                           | ·                          | ·
        continued outside  | →B ⇒B                      | →B +wEF                     | →B ⇒A                      | →B +wEF
        holds nothing      | ?                          | ?                           | ?                          | ?
        holds a lock       | ?                          | ?                           | ?                          | ?
        holds a device     | ?                          | ?                           | ?                          | ?
        too much CPU       | ?                          | ?                           | ?                          | ?
        CPU time           | ?                          | ?                           | ?                          | ?
        used               | ·                          | ·                           | ·                          | ·
        start failed       | ?                          | ?                           | ?                          | ?
        READY              | ·                          | ·                           | ·                          | ·
        RELOADING          | ·                          | ·                           | ·                          | ·
        STOPPING           | ☀                          | ·                           | ·                          | ·
        EXTEND_TIMEOUT     | ?                          | ?                           | ?                          | ?
        WATCHDOG=1         | ·                          | ·                           | ·                          | ·
        WATCHDOG=trigger   | ?                          | ?                           | ?                          | ?
        WATCHDOG_USEC      | ·                          | ·                           | ·                          | ·
        IN_USE=1           | ·                          | ·                           | ·                          | ·
        IN_USE=0           | ·                          | ·                           | ·                          | ·
        MAINPID            | ·                          | ·                           | ·                          | ·
        attached           | ·                          | ·                           | ·                          | ·
        detached           | ·                          | ·                           | ·                          | ·
        done               | ?                          | ?                           | ·                          | ?
        refused            | ?                          | ?                           | ·                          | ?
        hook failed        | ?                          | ?                           | ·                          | ?
        activity over      | ?                          | ?                           | ?                          | ?
        stale completion   | ?                          | ?                           | ?                          | ?
        task begun         | =began ☀                   | =began                      | =began                     | =began
        held               | =began ☀                   | =began                      | =began                     | =began
        task ended         | =noSuchTask                | =noSuchTask                 | =noSuchTask                | =noSuchTask
        foreground taken   | ·                          | ·                           | ·                          | ·
        foreground free    | ·                          | ·                           | ·                          | ·
        stalled            | ·                          | ·                           | ·                          | ·
        launch overdue     | ·                          | ·                           | ·                          | ·
        callback overdue   | ·                          | ·                           | ·                          | ·
        tasks overdue      | ·                          | ·                           | ·                          | ·
        fetch overdue      | ·                          | ·                           | ·                          | ·
        hold overdue       | ·                          | ·                           | ·                          | ·
        looked again       | ·                          | ·                           | ·                          | ·
        idle over          | ·                          | ·                           | ·                          | ·
        end overdue        | ·                          | ·                           | ·                          | ·
        backoff over       | ·                          | ·                           | ·                          | ·
        freeze due         | ·                          | ·                           | ·                          | ·
        stale timer        | ·                          | ·                           | ·                          | ·
        """
    static let ending = """
        event              | waiting for a callback  | telling                 | stopping                | stopping itself             | killed
        wanted active      | ⇒A again                | ⇒A again                | ⇒A again                | again                       | ⇒A again
        wanted inactive    | no/onlyFromActive       | no/onlyFromActive       | no/onlyFromActive       | no/onlyFromActive           | no/onlyFromActive
        wanted background  | ⇒B again                | ⇒B again                | ⇒B again                | ⇒B again                    | ⇒B again
        wanted suspended   | no/notRunning           | no/notRunning           | no/notRunning           | no/notRunning               | no/notRunning
        wanted notRunning  | ·                       | ·                       | ·                       | ⇒N                          | ·
        idles              | no/notRunning           | no/notRunning           | no/notRunning           | no/notRunning               | no/notRunning
        prelaunch          | ⇒S again                | ⇒S again                | ⇒S again                | ⇒S again                    | no/forceQuit
        boot               | ⇒A again                | ⇒A again                | ⇒A again                | again                       | no/forceQuit
        resume             | ·                       | ·                       | ·                       | ·                           | ·
        restart            | ⇒A again                | ⇒A again                | ⇒A again                | again                       | ⇒A again
        force-quit         | KILL                    | KILL                    | KILL                    | KILL ⇒N                     | KILL
        evicted            | no/notEvictable         | no/notEvictable         | no/notEvictable         | no/notEvictable             | no/notEvictable
        woken, foreground  | ⇒A again                | ⇒A again                | ⇒A again                | again                       | ⇒A again
        woken, background  | ⇒S again                | ⇒S again                | ⇒S again                | again                       | no/forceQuit
        url                | ⇒A again                | ⇒A again                | ⇒A again                | again                       | ⇒A again
        activity           | ⇒A again                | ⇒A again                | ⇒A again                | again                       | ⇒A again
        notification       | ⇒A again                | ⇒A again                | ⇒A again                | again                       | ⇒A again
        fetch              | ⇒S again                | ⇒S again                | ⇒S again                | again                       | -fetch/forceQuit
        transfer           | ⇒S again                | ⇒S again                | ⇒S again                | again                       | -transfer/forceQuit
        silentNotification | ⇒S again                | ⇒S again                | ⇒S again                | again                       | -silentNotification/forceQuit
        processing         | ⇒S again                | ⇒S again                | ⇒S again                | again                       | -processing/forceQuit
        interrupted        | ·                       | ·                       | ·                       | ·                           | ·
        interruption ended | ·                       | ·                       | ·                       | ·                           | ·
        memory warning     | ·                       | ·                       | ·                       | ·                           | ·
        time change        | ·                       | ·                       | ·                       | ·                           | ·
        no announcement    | ?                       | ?                       | ?                       | ?                           | ?
        queue              | ·                       | ·                       | ·                       | ·                           | ·
        foreground's queue | ·                       | ·                       | ·                       | ·                           | ·
        work revoked       | ·                       | ·                       | ·                       | ·                           | ·
        in use             | ·                       | ·                       | ·                       | ·                           | ·
        not in use         | ·                       | ·                       | ·                       | ·                           | ·
        policy changed     | ·                       | ·                       | ·                       | ·                           | ·
        state saved        | ·                       | ·                       | ·                       | ·                           | ·
        launched           | ?                       | ?                       | ?                       | ?                           | ?
        launch failed      | ?                       | ?                       | ?                       | ?                           | ?
        launch abandoned   | ?                       | ?                       | ?                       | ?                           | ?
        exit 0             | †evicted →N (evicted)   | †stopped →N (exited)    | †stopped →N (exited)    | †exited →N ⇒N (exited)      | †exited →N (forceQuit)
        exit 1             | †evicted →N (evicted)   | †stopped →N (exited)    | †stopped →N (exited)    | †failed →N (backingOff)     | †failed →N (forceQuit)
        SIGKILL            | †evicted →N (evicted)   | †stopped →N (exited)    | †stopped →N (exited)    | †crashed →N (backingOff)    | †forceQuit →N (forceQuit)
        SIGKILL, OOM       | †kernel-oom →N (failed) | †kernel-oom →N (failed) | †kernel-oom →N (failed) | †kernel-oom →N (backingOff) | †forceQuit →N (forceQuit)
        SIGSEGV            | †evicted →N (evicted)   | †stopped →N (exited)    | †stopped →N (exited)    | †crashed →N (backingOff)    | †crashed →N (forceQuit)
        exit unknown       | †evicted →N (evicted)   | †stopped →N (exited)    | †stopped →N (exited)    | †failed →N (backingOff)     | †forceQuit →N (forceQuit)
        frozen             | ☀ ?                     | ☀ ?                     | ☀ ?                     | ☀ ?                         | ☀ ?
        freeze failed      | ?                       | ?                       | ?                       | ?                           | ?
        freeze refused     | ?                       | ?                       | ?                       | ?                           | ?
        thawed             | ?                       | ?                       | ?                       | ?                           | ?
        stopped outside    | →I →B →S KILL           | ·                       | ·                       | ·                           | ·
        continued outside  | ?                       | ?                       | ?                       | ?                           | ·
        holds nothing      | ?                       | ?                       | ?                       | ?                           | ?
        holds a lock       | ?                       | ?                       | ?                       | ?                           | ?
        holds a device     | ?                       | ?                       | ?                       | ?                           | ?
        too much CPU       | ?                       | ?                       | ?                       | ?                           | ?
        CPU time           | ?                       | ?                       | ?                       | ?                           | ?
        used               | ·                       | ·                       | ·                       | ·                           | ·
        start failed       | ?                       | ?                       | ?                       | ?                           | ?
        READY              | ·                       | ·                       | ·                       | ·                           | ·
        RELOADING          | ·                       | ·                       | ·                       | ·                           | ·
        STOPPING           | ·                       | ·                       | ·                       | ·                           | ·
        EXTEND_TIMEOUT     | ·                       | ·                       | ·                       | ·                           | ·
        WATCHDOG=1         | ·                       | ·                       | ·                       | ·                           | ·
        WATCHDOG=trigger   | ?                       | ?                       | ?                       | ?                           | ?
        WATCHDOG_USEC      | ·                       | ·                       | ·                       | ·                           | ·
        IN_USE=1           | ·                       | ·                       | ·                       | ·                           | ·
        IN_USE=0           | ·                       | ·                       | ·                       | ·                           | ·
        MAINPID            | ·                       | ·                       | ·                       | ·                           | ·
        attached           | ·                       | ·                       | ·                       | ·                           | ·
        detached           | →I TERM                 | ·                       | ·                       | ·                           | ·
        done               | →I +wT                  | ·                       | ?                       | ?                           | ?
        refused            | →I +wT                  | ·                       | ?                       | ?                           | ?
        hook failed        | →I +wT                  | TERM                    | ?                       | ?                           | ?
        activity over      | ?                       | ?                       | ?                       | ?                           | ?
        stale completion   | ?                       | ?                       | ?                       | ?                           | ?
        task begun         | =ending                 | =ending                 | =ending                 | =ending                     | =ending
        held               | =ending                 | =ending                 | =ending                 | =ending                     | =ending
        task ended         | =noSuchTask             | =noSuchTask             | =noSuchTask             | =noSuchTask                 | =noSuchTask
        foreground taken   | ·                       | ·                       | ·                       | ·                           | ·
        foreground free    | ·                       | ·                       | ·                       | ·                           | ·
        stalled            | ·                       | ·                       | ·                       | ·                           | ·
        launch overdue     | ·                       | ·                       | ·                       | ·                           | ·
        callback overdue   | KILL                    | ·                       | ·                       | ·                           | ·
        tasks overdue      | ·                       | ·                       | ·                       | ·                           | ·
        fetch overdue      | ·                       | ·                       | ·                       | ·                           | ·
        hold overdue       | ·                       | ·                       | ·                       | ·                           | ·
        looked again       | ·                       | ·                       | ·                       | ·                           | ·
        idle over          | ·                       | ·                       | ·                       | ·                           | ·
        end overdue        | ·                       | KILL                    | KILL                    | KILL                        | !unkillable
        backoff over       | ·                       | ·                       | ·                       | ·                           | ·
        freeze due         | ·                       | ·                       | ·                       | ·                           | ·
        stale timer        | ·                       | ·                       | ·                       | ·                           | ·
        """

    static let notDone = """
        event              | reading                       | waiting                       | told                          | held                                    | flushing
        wanted active      | →I →A ⇒A                      | →I →A ⇒A                      | →I →A ⇒A                      | →I →A ⇒A                                | →I →A ⇒A
        wanted inactive    | no/onlyFromActive             | no/onlyFromActive             | no/onlyFromActive             | no/onlyFromActive                       | no/onlyFromActive
        wanted background  | ⇒B                            | ⇒B                            | ⇒B                            | ⇒B                                      | ⇒B
        wanted suspended   | ·                             | ·                             | ·                             | ·                                       | ·
        wanted notRunning  | TERM ⇒N                       | TERM ⇒N                       | TERM ⇒N                       | TERM ⇒N                                 | TERM ⇒N
        idles              | ·                             | ·                             | ·                             | ·                                       | ·
        prelaunch          | ·                             | ·                             | ·                             | ·                                       | ·
        boot               | →I →A ⇒A                      | →I →A ⇒A                      | →I →A ⇒A                      | →I →A ⇒A                                | →I →A ⇒A
        resume             | ⇒B                            | ⇒B                            | →I →A ⇒A                      | ⇒B                                      | ⇒B
        restart            | TERM again                    | TERM again                    | TERM again                    | TERM again                              | TERM again
        force-quit         | KILL ⇒N                       | KILL ⇒N                       | KILL ⇒N                       | KILL ⇒N                                 | KILL ⇒N
        evicted            | TERM ⇒N                       | TERM ⇒N                       | TERM ⇒N                       | TERM ⇒N                                 | TERM ⇒N
        woken, foreground  | →I →A ⇒A                      | →I →A ⇒A                      | →I →A ⇒A                      | →I →A ⇒A                                | →I →A ⇒A
        woken, background  | ·                             | ·                             | ·                             | ·                                       | ·
        url                | →I -url/noReceiver →A ⇒A      | →I -url/noReceiver →A ⇒A      | →I -url/noReceiver →A ⇒A      | →I -url/noReceiver →A ⇒A                | →I -url/noReceiver →A ⇒A
        activity           | →I -activity/noReceiver →A ⇒A | →I -activity/noReceiver →A ⇒A | →I -activity/noReceiver →A ⇒A | →I -activity/noReceiver →A ⇒A           | →I -activity/noReceiver →A ⇒A
        notification       | →I +note ⇒A                   | →I +note ⇒A                   | →I +note ⇒A                   | →I +note ⇒A                             | →I +note ⇒A
        fetch              | -fetch/noReceiver             | -fetch/noReceiver             | -fetch/noReceiver             | -fetch/noReceiver                       | -fetch/noReceiver
        transfer           | -transfer/noReceiver          | -transfer/noReceiver          | -transfer/noReceiver          | -transfer/noReceiver                    | -transfer/noReceiver
        silentNotification | +note                         | +note                         | +note                         | +note                                   | +note
        processing         | -processing/noReceiver cpu?   | -processing/noReceiver cpu?   | -processing/noReceiver cpu?   | -processing/noReceiver                  | -processing/noReceiver
        interrupted        | ·                             | ·                             | ·                             | ·                                       | ·
        interruption ended | ·                             | ·                             | ·                             | ·                                       | ·
        memory warning     | ·                             | ·                             | ·                             | ·                                       | ·
        time change        | ·                             | ·                             | ·                             | ·                                       | ·
        no announcement    | ?                             | ?                             | ?                             | ?                                       | ?
        queue              | +note                         | +note                         | +note                         | +note                                   | ·
        foreground's queue | ·                             | ·                             | ·                             | ·                                       | ·
        work revoked       | ❄                             | ❄                             | ❄                             | ·                                       | ·
        in use             | ·                             | ·                             | ·                             | ·                                       | ·
        not in use         | ·                             | ·                             | ·                             | ·                                       | ·
        policy changed     | look                          | look                          | look                          | ·                                       | ·
        state saved        | ·                             | ·                             | ·                             | ·                                       | ·
        launched           | ?                             | ?                             | ?                             | ?                                       | ?
        launch failed      | ?                             | ?                             | ?                             | ?                                       | ?
        launch abandoned   | ?                             | ?                             | ?                             | ?                                       | ?
        exit 0             | †exited →N ⇒N (exited)        | †exited →N ⇒N (exited)        | †exited →N ⇒N (exited)        | †exited →N ~workerEnded ⇒N (exited)     | †exited →N ⇒N (exited)
        exit 1             | †failed →N ⇒N (failed)        | †failed →N ⇒N (failed)        | †failed →N ⇒N (failed)        | †failed →N ~workerEnded ⇒N (failed)     | †failed →N ⇒N (failed)
        SIGKILL            | †crashed →N ⇒N (failed)       | †crashed →N ⇒N (failed)       | †crashed →N ⇒N (failed)       | †crashed →N ~workerEnded ⇒N (failed)    | †crashed →N ⇒N (failed)
        SIGKILL, OOM       | †kernel-oom →N ⇒N (failed)    | †kernel-oom →N ⇒N (failed)    | †kernel-oom →N ⇒N (failed)    | †kernel-oom →N ~workerEnded ⇒N (failed) | †kernel-oom →N ⇒N (failed)
        SIGSEGV            | †crashed →N ⇒N (failed)       | †crashed →N ⇒N (failed)       | †crashed →N ⇒N (failed)       | †crashed →N ~workerEnded ⇒N (failed)    | †crashed →N ⇒N (failed)
        exit unknown       | †failed →N ⇒N (failed)        | †failed →N ⇒N (failed)        | †failed →N ⇒N (failed)        | †failed →N ~workerEnded ⇒N (failed)     | †failed →N ⇒N (failed)
        frozen             | ☀ ?                           | ☀ ?                           | ☀ ?                           | ☀ ?                                     | ☀ ?
        freeze failed      | ?                             | ?                             | ?                             | ?                                       | ?
        freeze refused     | ?                             | ?                             | ?                             | ?                                       | ?
        thawed             | ?                             | ?                             | ?                             | ?                                       | ?
        stopped outside    | →S                            | →S                            | →S                            | →S                                      | →S
        continued outside  | ?                             | ?                             | ?                             | ?                                       | ?
        holds nothing      | ?                             | ?                             | ?                             | ?                                       | ?
        holds a lock       | ?                             | ?                             | ?                             | ?                                       | ?
        holds a device     | ?                             | ?                             | ?                             | ?                                       | ?
        too much CPU       | slow                          | slow                          | slow                          | slow                                    | slow
        CPU time           | ·                             | ?                             | ?                             | ?                                       | ?
        used               | ·                             | ·                             | ·                             | ·                                       | ·
        start failed       | ?                             | ?                             | ?                             | ?                                       | ?
        READY              | ·                             | ·                             | ·                             | ·                                       | ·
        RELOADING          | ·                             | ·                             | ·                             | ·                                       | ·
        STOPPING           | ·                             | ·                             | ·                             | ·                                       | ·
        EXTEND_TIMEOUT     | ·                             | ·                             | ·                             | ·                                       | ·
        WATCHDOG=1         | ·                             | ·                             | ·                             | ·                                       | ·
        WATCHDOG=trigger   | KILL                          | KILL                          | KILL                          | KILL                                    | KILL
        WATCHDOG_USEC      | ·                             | ·                             | ·                             | ·                                       | ·
        IN_USE=1           | ·                             | ·                             | ·                             | ·                                       | ·
        IN_USE=0           | ·                             | ·                             | ·                             | ·                                       | ·
        MAINPID            | ·                             | ·                             | ·                             | ·                                       | ·
        attached           | ·                             | ·                             | ·                             | ·                                       | ·
        detached           | ?                             | ?                             | ?                             | ?                                       | ?
        done               | ?                             | ?                             | ?                             | ?                                       | ?
        refused            | ?                             | ?                             | ?                             | ?                                       | ?
        hook failed        | ?                             | ?                             | ?                             | ?                                       | ?
        activity over      | ?                             | ?                             | ?                             | ?                                       | cpu?
        stale completion   | ?                             | ?                             | ?                             | ?                                       | ?
        task begun         | =began                        | =began                        | =began                        | =began                                  | =began
        held               | =began                        | =began                        | =began                        | =began                                  | =began
        task ended         | =noSuchTask                   | =noSuchTask                   | =noSuchTask                   | =noSuchTask                             | =noSuchTask
        foreground taken   | ·                             | ·                             | ·                             | ·                                       | ·
        foreground free    | ·                             | ·                             | ·                             | ·                                       | ·
        stalled            | ·                             | ·                             | ·                             | ·                                       | ·
        launch overdue     | ·                             | ·                             | ·                             | ·                                       | ·
        callback overdue   | ·                             | ·                             | ·                             | ·                                       | ·
        tasks overdue      | ·                             | ·                             | ·                             | ·                                       | ·
        fetch overdue      | ·                             | ·                             | ·                             | ·                                       | ·
        hold overdue       | ·                             | ·                             | ·                             | ~limit cpu?                             | ·
        looked again       | ·                             | cpu?                          | cpu?                          | ·                                       | ·
        idle over          | ·                             | ·                             | ·                             | ·                                       | ·
        end overdue        | ·                             | ·                             | ·                             | ·                                       | ·
        backoff over       | ·                             | ·                             | ·                             | ·                                       | ·
        freeze due         | ·                             | ·                             | ·                             | ·                                       | ·
        stale timer        | ·                             | ·                             | ·                             | ·                                       | ·
        """
}
