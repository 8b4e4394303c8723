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
fail() {
    echo "$1" >&2
    exit 2
}
example="sbatch --array=1-64 shards.sh cup.toml 64"
tournament=${1:-} shards=${2:-} shard=${SLURM_ARRAY_TASK_ID:-}
[ -n "$tournament" ] || fail "which tournament file? $example"
[ -n "$shards" ] || fail "how many shards in all? $example"
case $shards in
    *[!0-9]* | 0*) fail "$shards is not a number of shards; $example" ;;
esac
[ -n "$shard" ] || fail "which shard? Slurm says so in an array: $example"
case $shard in
    *[!0-9]*) fail "$shard is no shard; expected --array=1-$shards" ;;
esac
if [ "$shard" -lt 1 ] || [ "$shard" -gt "$shards" ]; then
    fail "there is no shard $shard of $shards; expected --array=1-$shards"
fi
mkdir -p shards
exec quintain tournament "$tournament" \
    --shard "$shard/$shards" \
    --store "shards/$shard.sqlite" \
    --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet --format csv
