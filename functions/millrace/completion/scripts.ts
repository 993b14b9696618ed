/** The scripts that shells load. Each calls `millrace __complete` at every Tab. */

const bash = `# millrace: source <(millrace completion bash)
_millrace() {
  local lines directive IFS=$'\\n'
  lines=($(millrace __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  directive="\${lines[-1]}"
  unset 'lines[-1]'
  if [ "$directive" = ":0" ]; then
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
    compopt -o filenames 2>/dev/null
  else
    COMPREPLY=("\${lines[@]%%$'\\t'*}")
  fi
}
complete -F _millrace millrace
`;

const zsh = `#compdef millrace
# millrace: source <(millrace completion zsh)
_millrace() {
  local -a lines items
  local line
  lines=("\${(@f)$(millrace __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${lines[-1]}" == ":0" ]]; then
    _files
    return
  fi
  lines[-1]=()
  for line in "\${lines[@]}"; do
    items+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe millrace items
}
if [ "$funcstack[1]" = "_millrace" ]; then _millrace "$@"; else compdef _millrace millrace; fi
`;

const fish = `# millrace: millrace completion fish | source
function __millrace_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l lines (millrace __complete $words[2..] 2>/dev/null)
  if test "$lines[-1]" = ":0"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $lines[1..-2]
  end
end
complete -c millrace -f -a '(__millrace_complete)'
`;

// Windows PowerShell, and programs that are batch files, lose an empty argument, so "" stands for it.
const pwsh = `# millrace: millrace completion pwsh | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName millrace -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements |
    Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
    Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
  if ($wordToComplete -eq '') { $words += '""' }
  $lines = @(millrace __complete @words 2>$null)
  if ($lines.Count -lt 2) { return }
  $lines[0..($lines.Count - 2)] | ForEach-Object {
    $value, $description = $_ -split "\`t", 2
    if (-not $description) { $description = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
  }
}
`;

export const completionScripts = { bash, zsh, fish, pwsh } as const;
export type Shell = keyof typeof completionScripts;
