#!/bin/sh
#SBATCH --job-name=quintain
#SBATCH --array=1-64
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --requeue
# A tournament in as many shares as the array has tasks, without any server:
#   sbatch shards.sh cup.toml
# A task that is started again goes on where it was. Afterwards:
#   quintain merge shares/*.sqlite -o cup.sqlite
set -eu
tournament=${1:?which tournament file?}
mkdir -p shares
exec quintain tournament "$tournament" \
    --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
    --store "shares/$SLURM_ARRAY_TASK_ID.sqlite" \
    --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet --format csv
