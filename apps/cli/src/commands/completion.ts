import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onlyHere, type Configure } from "../command-context.ts";
import { cliFaults } from "../faults.ts";

/** `cloud completion bash|zsh|fish`: prints a script that calls `cloud __complete`. */
export const configureCompletion: Configure = (command, { world }) => {
  command.argument("<shell>", Object.keys(scripts).join(", "));
  addExamples(
    command,
    "source <(cloud completion bash)",
    "cloud completion zsh > ~/.zfunc/_cloud",
    "cloud completion fish | source",
  );
  onlyHere(command, ([shell = ""]) => {
    const script = scripts[shell];
    if (script === undefined)
      throw new Fault(
        cliFaults.usage,
        `no completion script for the shell "${shell}"; supported shells: ${Object.keys(scripts).join(", ")}`,
      );
    world.stdout.write(script);
  });
};

// Each line is a candidate, optionally followed by a tab and a description. bash ignores the description.
const scripts: Readonly<Record<string, string>> = {
  bash: `# bash completion for cloud
_cloud() {
  local line candidates=()
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  while IFS= read -r line; do candidates+=("\${line%%$'\\t'*}"); done < <(cloud __complete -- "\${words[@]}" 2>/dev/null)
  COMPREPLY=()
  for line in "\${candidates[@]}"; do
    [[ "$line" == "\${COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("$line")
  done
  [[ \${#COMPREPLY[@]} -eq 0 ]] && compopt -o default 2>/dev/null
  return 0
}
complete -F _cloud cloud
`,
  zsh: `#compdef cloud
_cloud() {
  local line
  local -a candidates
  while IFS= read -r line; do
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(cloud __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe 'cloud' candidates; else _files; fi
}
if [ "$funcstack[1]" = "_cloud" ]; then _cloud "$@"; else compdef _cloud cloud; fi
`,
  fish: `# fish completion for cloud
function __cloud_complete
  set -l words (commandline -opc) (commandline -ct)
  cloud __complete -- $words[2..-1] 2>/dev/null
end
function __cloud_wants_file
  set -l words (commandline -opc)
  contains -- $words[-1] -f --file --env-file
end
complete -c cloud -f -a '(__cloud_complete)'
complete -c cloud -n __cloud_wants_file -F
`,
};
