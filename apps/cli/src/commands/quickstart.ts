import { Fault } from "@cloudwright/platform/fault";
import type { Command } from "commander";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { addExamples, onlyHere, type Configure } from "../command-context.ts";
import { readCommonFlags } from "../common-flags.ts";
import { connect, type Session } from "../connection/session.ts";
import { resolveTarget } from "../connection/target.ts";
import { cliFaults } from "../faults.ts";
import { settle } from "../operations/conclude.ts";
import { addTimeoutFlag } from "../operations/wait.ts";
import { renderPhase } from "../output/columns.ts";
import { itemName } from "../output/item.ts";
import { createOutput } from "../output/output.ts";
import { ensureTerraform } from "../quickstart/ensure-terraform.ts";
import { findHomeServer, isStartedHere, startHomeServer, stopHomeServer, type HomeServer } from "../quickstart/home-server.ts";
import { ensureEntities, quickstartName, removeEntities } from "../quickstart/entities.ts";
import type { World } from "../world.ts";

const defaultTimeoutMs = 10 * 60_000;
/** The lifetime of the kubeconfig. Set to the maximum, so that new users do not have to renew it soon. */
const kubeconfigSeconds = 86_400;

/** `cloud quickstart`: starts a server, then creates a simulated account, a network, a cluster, a bucket and a kubeconfig. */
export const configureQuickstart: Configure = (command, { world }) => {
  command
    .summary("start a local server and create a simulated cluster")
    .option("--stop", "stop the server that uses this home directory, and keep its data")
    .option("--delete", "delete everything the quick start created and stop its server");
  addTimeoutFlag(command, "10m");
  addExamples(command, "cloud quickstart", "npm run quickstart", "npm run quickstart -- --delete");
  onlyHere(command, async (_args, flags, self) => {
    const timeoutMs = (flags["timeout"] as number | undefined) ?? defaultTimeoutMs;
    if (flags["delete"] === true) return removeAll(world, self, timeoutMs);
    if (flags["stop"] === true) return stop(world, self);
    await build(world, self, timeoutMs);
  });
};

async function build(world: World, command: Command, timeoutMs: number): Promise<void> {
  const output = createOutput(world, readCommonFlags(command));
  ensureTerraform(world, (line) => output.note(line));
  const found = await findHomeServer(world);
  if (found === undefined) output.note(`starting the control plane; its log is ${join(world.home, "server.log")}`);
  const server = found ?? (await startHomeServer(world));
  output.note(`the control plane is listening on ${server.address} (process ${server.pid})`);
  const session = openHomeSession(world, command, server);
  const changes = await ensureEntities(session, timeoutMs);
  for (const { item, done } of changes) output.note(`${itemName(item)} ${done}`);
  const { items, trouble } = await settle(session, changes, { wait: true, timeout: timeoutMs });
  if (trouble !== undefined) throw trouble;
  for (const item of items) output.done(`${itemName(item)} is ${renderPhase(item)} (simulated)`);
  const waiting = items.find((item) => renderPhase(item) !== "RUNNING");
  if (waiting !== undefined) throw new Fault(cliFaults.wait_failed, `${itemName(waiting)} is ${renderPhase(waiting)}`);
  const kubeconfig = await writeKubeconfig(session);
  output.line(await renderSummary(world, server, kubeconfig));
}

async function removeAll(world: World, command: Command, timeoutMs: number): Promise<void> {
  ensureTerraform(world, (line) => createOutput(world, readCommonFlags(command)).note(line));
  const running = await findHomeServer(world);
  const server = running ?? (await startHomeServer(world));
  const session = openHomeSession(world, command, server);
  const removed = await removeEntities(session, timeoutMs);
  rmSync(kubeconfigOf(world), { force: true });
  session.output.done(removed ? `deleted all entities named ${quickstartName}` : `there is no entity named ${quickstartName}`);
  if (isStartedHere(world.home, server)) await stop(world, command);
}

async function stop(world: World, command: Command): Promise<void> {
  const stopped = await stopHomeServer(world);
  createOutput(world, readCommonFlags(command)).done(
    stopped ? `stopped the server for ${world.home}` : `no server is running for ${world.home}`,
  );
}

/** Opens a session with the server that uses this home directory. Ignores contexts and environment variables. */
function openHomeSession(world: World, command: Command, { address, adminKey }: HomeServer): Session {
  const target = { server: address, apiKey: adminKey, project: "default", context: undefined };
  const output = createOutput(world, readCommonFlags(command));
  const { project } = target;
  return { world, output, target, client: connect(world, target), project, projectIsExplicit: false, waited: { totalMs: 0 } };
}

async function writeKubeconfig({ client, project, world }: Session): Promise<string> {
  const options = { ttlSeconds: kubeconfigSeconds, signal: world.signal };
  const { kubeconfig = "" } = await client.clusters.kubeconfig(project, quickstartName, options);
  const { keepKubeconfig } = await import("../keep-kubeconfig.ts");
  const file = kubeconfigOf(world);
  await keepKubeconfig(file, kubeconfig, false);
  return file;
}

function kubeconfigOf({ home }: World): string {
  return join(home, "quickstart.kubeconfig");
}

/** Renders commands to try next. Each command includes the flags and variables that the current home directory and context require. */
async function renderSummary(world: World, { address }: HomeServer, kubeconfig: string): Promise<string> {
  const { server } = await resolveTarget(world, {});
  const home = world.environment["CLOUDWRIGHT_HOME"] ? `CLOUDWRIGHT_HOME=${world.home} ` : "";
  const cloud = (words: string): string => `${home}npx cloud ${words}${server === address ? "" : ` --server ${address}`}`;
  return `
RUNNING: cluster ${quickstartName} in a simulated account; nothing is billed
kubeconfig: ${kubeconfig}
console:    ${address} (\`${cloud("console")}\` prints a link that signs you in)

Try:
  kubectl --kubeconfig ${kubeconfig} get nodes
  ${cloud("k8s list")}
  ${cloud("sim inventory")}

The kubeconfig is valid for one day. To get a new one:
  ${cloud(`k8s kubeconfig ${quickstartName} --for 24h --file ${kubeconfig}`)}
Stop the server:    ${home}npm run quickstart -- --stop
Delete everything:  ${home}npm run quickstart -- --delete`;
}
