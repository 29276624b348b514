import type { CloudLibrary } from "@cloudwright/clouds";
import type { CloudRecord } from "@cloudwright/simulator";
import { runCloud } from "../cloud-command.ts";
import { queryDatabase } from "../query-database.ts";
import type { RunningServer } from "../server.ts";
import { sampleCloud, type Issued, type SampleCloud } from "./sample-clouds.ts";

/** Runs a command as the administrator of a server. Throws unless it succeeds. */
export async function runOk(server: RunningServer, ...args: string[]): Promise<string> {
  const { code, out, err } = await runCloud({ home: server.home }, ...args);
  if (code !== 0) throw new Error(`cloud ${args.join(" ")} exited with ${code}: ${err}`);
  return out;
}

/** Creates a simulated account in which clusters can be created. Returns a client library for it. */
export async function createSampleAccount(server: RunningServer, account: string, sample = sampleCloud): Promise<CloudLibrary> {
  const { cloud, accountFlags, region } = sample;
  await runOk(server, "account", "create", account, "--cloud", cloud, "--simulated", ...accountFlags, "--wait");
  await runOk(server, "sim", "slow", "--off", "--account", account);
  const { metadata } = JSON.parse(await runOk(server, "account", "get", account, "-o", "json")) as { metadata: { uid: string } };
  for (const { type, id, attributes } of sample.listRecords(await issue(server, account, sample)))
    await queryDatabase(server.database, async (client) => {
      const values = [metadata.uid, type, id, JSON.stringify({ id, region, ...attributes })];
      await client.query("insert into simulated_record (account_uid, type, id, attributes) values ($1, $2, $3, $4)", values);
    });
  return openSampleLibrary(server, account, sample);
}

async function issue(server: RunningServer, account: string, { region }: SampleCloud): Promise<Issued> {
  const issued = await runOk(server, "sim", "credentials", "--account", account, "--region", region, "-o", "json");
  return JSON.parse(issued) as Issued;
}

/**
 * Opens a client library for a simulated account. Must be called again after a server restart, because the address of the simulated API
 * changes.
 */
export async function openSampleLibrary(server: RunningServer, account: string, sample = sampleCloud): Promise<CloudLibrary> {
  return sample.open(await issue(server, account, sample));
}

/** Creates a cluster without the platform, as a user of the cloud would. Returns the cluster's id in the cloud. */
export async function createSampleCluster(library: CloudLibrary, name: string, sample = sampleCloud): Promise<string> {
  const request = { ...sample.request, name, version: "1.33", nodeCount: 2 };
  return (await library.clusters.create(request, { wait: "ready" })).id;
}

/** Returns every record of an account's simulated cloud, ordered by type and id, with all fields. */
export async function readInventory(server: RunningServer, account: string): Promise<readonly CloudRecord[]> {
  const listed = await runOk(server, "sim", "inventory", "--account", account, "-o", "json");
  return (JSON.parse(listed) as { items: readonly CloudRecord[] }).items;
}
