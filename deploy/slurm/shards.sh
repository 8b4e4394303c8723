#!/bin/sh
#SBATCH --job-name=quintain
#SBATCH --array=1-64
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --requeue
# A tournament in as many shards as the array has tasks, without any server:
#   sbatch shards.sh cup.toml
# A restarted task resumes. Afterwards:
#   quintain merge shards/*.sqlite -o cup.sqlite
set -eu
tournament=${1:?which tournament file?}
mkdir -p shards
exec quintain tournament "$tournament" \
    --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
    --store "shards/$SLURM_ARRAY_TASK_ID.sqlite" \
    --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet --format csv
