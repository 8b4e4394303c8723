#!/bin/sh
#SBATCH --job-name=quintain-worker
#SBATCH --array=1-64
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@30
# Workers at a NATS server, which end when there was nothing to play for ten minutes:
#   export QUINTAIN_ON=tls://head:4222 QUINTAIN_CA=$HOME/ca.pem
#   export QUINTAIN_USER=worker QUINTAIN_PASSWORD_FILE=$HOME/.quintain-worker
#   sbatch workers.sh
set -eu
exec quintain worker --on "${QUINTAIN_ON:?which server?}" \
    --threads "${SLURM_CPUS_PER_TASK:-1}" --idle 600
