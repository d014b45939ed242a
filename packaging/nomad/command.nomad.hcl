# One command under torpor run, as a task of Nomad's raw_exec driver.
#
#   nomad job run command.nomad.hcl
#   nomad alloc signal -s SIGTSTP -task command ALLOCATION    # didEnterBackground, then asleep
#   nomad alloc signal -s SIGCONT -task command ALLOCATION    # willEnterForeground
#   nomad job stop command                                    # willTerminate: SIGTERM, and SIGKILL after 30 s
#
# Nomad signals the process that it started, which is torpor run: signals reach the command through it.
job "command" {
  type = "service"

  group "command" {
    task "command" {
      driver = "raw_exec"

      config {
        command = "/usr/bin/torpor"
        args = [
          "run",
          "--on", "didEnterBackground=signal:USR1",
          "--completes", "didEnterBackground=output:^saved",
          "--on", "willEnterForeground=signal:USR2",
          "--stop-timeout", "25s",
          "--",
          "/usr/local/bin/simulate",
        ]
      }

      # The default, SIGINT, does not end a command under torpor run by itself, and starts no willTerminate.
      kill_signal = "SIGTERM"

      # Longer than --stop-timeout. The client's max_kill_timeout, 30 s by default, limits it.
      kill_timeout = "30s"

      resources {
        cpu    = 500
        memory = 256
      }
    }
  }
}
