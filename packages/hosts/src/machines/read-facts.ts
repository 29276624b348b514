import { Fault } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";
import { factsScript, parseFacts, type MachineFacts } from "./facts.ts";
import type { MachineShell } from "./shell.ts";

/** Reads what a machine says about itself. Throws if it is not a Linux machine with a POSIX shell. */
export async function readFacts(shell: MachineShell): Promise<MachineFacts> {
  const { code, stdout } = await shell.run(["sh", "-c", factsScript]);
  const facts = parseFacts(stdout);
  if (code === 0 && facts.architecture !== "") return facts;
  throw new Fault(hostsFaults.machine_failed, `${shell.where} does not answer like a Linux machine (exit code ${code})`);
}
