import { joinSignals } from "@cloudwright/platform/join-signals";
import { trimEnd } from "@cloudwright/platform/trim-end";
import { addExamples, onlyHere, type Configure } from "../command-context.ts";
import { readCommonFlags } from "../common-flags.ts";
import { resolveTarget } from "../connection/target.ts";
import { createOutput, isStructured } from "../output/output.ts";
import type { World } from "../world.ts";
import { Fault } from "@cloudwright/platform/fault";

/** `cloud version`: prints the CLI's version and whether the server is ready. */
export const configureVersion: Configure = (command, { world }) => {
  command.option("--client", "do not contact the server");
  addExamples(command, "cloud version", "cloud version --client -o json");
  onlyHere(command, async (_args, flags, self) => {
    const common = readCommonFlags(self);
    const output = createOutput(world, common);
    const server = flags["client"] === true ? undefined : await findServer(world, common);
    const answer = { client: world.version, node: process.versions.node, ...(server === undefined ? {} : { server }) };
    if (isStructured(output.format)) return output.structure(answer);
    output.line(`client: ${world.version} (node ${process.versions.node})`);
    if (server !== undefined) output.line(`server: ${server.address} ${server.ready ? "ready" : "not ready"}`);
  });
};

async function findServer(
  world: World,
  flags: Parameters<typeof resolveTarget>[1],
): Promise<{ address: string; ready: boolean } | undefined> {
  const target = await resolveTarget(world, flags).catch((error: unknown) => {
    if (error instanceof Fault && error.code === "cli.no_server") return undefined;
    throw error;
  });
  if (target === undefined) return undefined;
  const address = trimEnd(target.server, "/");
  const joined = joinSignals([world.signal, AbortSignal.timeout(5000)]);
  const ready = await world.fetch(`${address}/readyz`, { signal: joined.signal as AbortSignal }).then(
    (response) => response.ok,
    () => false,
  );
  return { address, ready };
}
