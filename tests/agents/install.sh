#!/usr/bin/env bash
# Installs the agents that the tests drive into the user's cache and prints its folder; with --where, only prints it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
what=$here/programs
key=$(cat "$what/package-lock.json" "$what/.npmrc" "$here/install.sh" | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/compact-chat
folder=$cache/agents-$key

install() {
    rm -rf "$folder" && mkdir -p "$folder" && cp "$what/package.json" "$what/package-lock.json" "$what/.npmrc" "$folder/" && cd "$folder" || return
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || return
    # Claude Code puts its program in place in its install script.
    node node_modules/@anthropic-ai/claude-code/install.cjs && touch installed
}

if [ "${1:-}" != --where ] && [ ! -e "$folder/installed" ]; then
    mkdir -p "$cache"
    exec 9>"$folder.lock"
    flock 9
    if [ ! -e "$folder/installed" ]; then
        echo "installing the agents into $folder (a minute or two)" >&2
        (install) >"$folder.log" 2>&1 || { tail -n 30 "$folder.log" >&2; echo "The agents could not be installed; the whole log is $folder.log" >&2; exit 1; }
    fi
fi
echo "$folder"
