import type { BenchPlatform } from "../processes/bench-platform.ts";
import { expectStatus, openConnection } from "./connection.ts";

/** Creates a simulated account and a network with the same name in the `default` project. */
export async function createNetwork(platform: BenchPlatform, name: string): Promise<void> {
  const client = openConnection(platform.server.url, platform.adminKey);
  const account = { metadata: { name }, spec: { simulated: true, aws: {} } };
  expectStatus(await client.send("POST", "/v1/projects/default/accounts", account), 202);
  expectStatus(await client.send("POST", "/v1/projects/default/networks", { metadata: { name }, spec: { account: name } }), 202);
  client.close();
}

/** Creates a project that contains the simulated account `main` and several networks. */
export async function createTree(
  platform: BenchPlatform,
  project: string,
  networks: readonly string[] = ["main"],
): Promise<void> {
  const client = openConnection(platform.server.url, platform.adminKey);
  expectStatus(await client.send("POST", "/v1/projects", { metadata: { name: project } }), 201);
  const account = { metadata: { name: "main" }, spec: { simulated: true, aws: {} } };
  expectStatus(await client.send("POST", `/v1/projects/${project}/accounts`, account), 202);
  for (const name of networks)
    expectStatus(
      await client.send("POST", `/v1/projects/${project}/networks`, { metadata: { name }, spec: { account: "main" } }),
      202,
    );
  client.close();
}
