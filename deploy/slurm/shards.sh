#!/bin/sh
#SBATCH --job-name=quintain
#SBATCH --array=1-64
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --requeue
# A tournament in 64 shards, without any server:
#   sbatch --array=1-64 shards.sh cup.toml 64
# The number of shards is said apart from the array, so that some of them can be submitted again:
#   sbatch --array=3,17 shards.sh cup.toml 64
# A restarted shard resumes. Afterwards:
#   quintain merge shards/*.sqlite -o cup.sqlite
set -eu
tournament=${1:?which tournament file? sbatch --array=1-64 shards.sh FILE 64}
shards=${2:?how many shards in all? sbatch --array=1-64 shards.sh FILE 64}
if [ "$SLURM_ARRAY_TASK_ID" -lt 1 ] || [ "$SLURM_ARRAY_TASK_ID" -gt "$shards" ]; then
    echo "there is no shard $SLURM_ARRAY_TASK_ID of $shards; expected --array=1-$shards" >&2
    exit 2
fi
mkdir -p shards
exec quintain tournament "$tournament" \
    --shard "$SLURM_ARRAY_TASK_ID/$shards" \
    --store "shards/$SLURM_ARRAY_TASK_ID.sqlite" \
    --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet --format csv
