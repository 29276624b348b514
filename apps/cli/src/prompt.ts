import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "./faults.ts";
import type { World } from "./world.ts";

/** Asks a yes-or-no question on the terminal. Anything other than yes counts as no. */
export async function confirm(world: World, question: string): Promise<boolean> {
  world.stderr.write(`${question} [y/N] `);
  return /^y(es)?$/i.test((await world.stdin.readLine({ hidden: false })).trim());
}

export async function askText(world: World, label: string): Promise<string> {
  world.stderr.write(`${label}: `);
  return (await world.stdin.readLine({ hidden: false })).trim();
}

/** Prompts for a secret without echoing the input. */
export async function askSecret(world: World, label: string): Promise<string> {
  if (!world.stdin.isTTY) throw new Fault(cliFaults.no_terminal, `${label} is required, but there is no terminal`);
  world.stderr.write(`${label}: `);
  const answer = await world.stdin.readLine({ hidden: true });
  world.stderr.write("\n");
  return answer.trim();
}
