import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "../wait-until.ts";

/**
 * A Terraform wrapper that waits at gates. For example, the `before-plan` gate delays the start of `terraform plan`, and `after-plan`
 * delays its exit.
 */
export interface GatedTerraform {
  /** Folder to prepend to PATH. */
  readonly folder: string;
  close(gate: string): Promise<void>;
  open(gate: string): Promise<void>;
  /** Waits until a process reaches a gate. Returns the process id. */
  waitAt(gate: string): Promise<number>;
  /** Returns the id of the most recently started Terraform process for this command. */
  findRunning(command: string): Promise<number>;
}

/** Writes a `terraform` script that runs the real Terraform, but waits at closed gates. */
export async function createGatedTerraform(home: string, real: string): Promise<GatedTerraform> {
  const folder = join(home, "gated");
  const gates = join(home, "gates");
  await Promise.all([mkdir(folder, { recursive: true }), mkdir(gates, { recursive: true })]);
  const program = join(folder, "terraform");
  await writeFile(program, renderProgram(real, gates));
  await chmod(program, 0o755);
  const readPid = async (file: string): Promise<number> => Number(await readFile(join(gates, file), "utf8").catch(() => "0"));
  return {
    folder,
    close: (gate) => writeFile(join(gates, gate), ""),
    async open(gate) {
      await rm(join(gates, gate), { force: true });
      await rm(join(gates, `${gate}.pid`), { force: true });
    },
    async waitAt(gate) {
      await waitUntil(`a process waits at ${gate}`, async () => (await readPid(`${gate}.pid`)) > 0, 120_000);
      return readPid(`${gate}.pid`);
    },
    findRunning: (command) => readPid(`running-${command}.pid`),
  };
}

function renderProgram(real: string, gates: string): string {
  return `#!/bin/sh
real='${real}'
gates='${gates}'
command=''
for word in "$@"; do
  case "$word" in -*) ;; *) command="$word"; break ;; esac
done
note() { echo $$ > "$gates/$1.$$" && mv "$gates/$1.$$" "$gates/$1.pid"; }
wait_at() {
  [ -e "$gates/$1" ] || return 0
  note "$1"
  while [ -e "$gates/$1" ]; do sleep 0.05; done
}
wait_at "before-$command"
note "running-$command"
[ -e "$gates/after-$command" ] || exec "$real" "$@"
"$real" "$@"
code=$?
wait_at "after-$command"
exit $code
`;
}
