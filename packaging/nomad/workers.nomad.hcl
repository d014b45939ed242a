# Workers with their whole life cycle, as a task of Nomad's raw_exec driver: a torpord of the allocation's own.
#
#   nomad job run workers.nomad.hcl
#   nomad alloc signal -s SIGTSTP -task torpord ALLOCATION    # every worker saves and falls asleep, then all of it is stopped
#   nomad alloc signal -s SIGCONT -task torpord ALLOCATION
#   nomad alloc exec -task torpord ALLOCATION /usr/bin/torpor --socket /run/torpor-workers/io.torpor.Supervisor list
#
# /etc/torpor-workers on the client has workers/NAME.worker, and workers.hook beside it, which is in packaging/slurm. What the workers have
# saved and their notifications are in the sticky disk of the allocation, so that the next allocation of the job on this client finds
# them, and, with migrate, one on another client, as far as Nomad can move it.
job "workers" {
  type = "service"

  group "workers" {
    ephemeral_disk {
      sticky  = true
      migrate = true
      size    = 300
    }

    task "torpord" {
      driver = "raw_exec"

      config {
        command = "/usr/bin/torpor"
        args = [
          "run",
          "--on", "didEnterBackground=exec:/etc/torpor-workers/workers.hook /run/torpor-workers suspend",
          "--on", "willEnterForeground=exec:/etc/torpor-workers/workers.hook /run/torpor-workers resume",
          "--on", "willTerminate=exec:/etc/torpor-workers/workers.hook /run/torpor-workers terminate",
          "--stop-timeout", "25s",
          "--",
          "/usr/bin/torpord",
          "--config-dir", "/etc/torpor-workers",
          "--state-dir", "${NOMAD_ALLOC_DIR}/data/torpor",
          "--runtime-dir", "/run/torpor-workers",
        ]
      }

      kill_signal  = "SIGTERM"
      kill_timeout = "30s"

      resources {
        cpu    = 500
        memory = 512
      }
    }
  }
}
