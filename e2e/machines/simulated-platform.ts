import { createAdminCalls } from "../admin-calls.ts";
import { startServer } from "../server.ts";
import { openSimulatedCloud } from "../simulated-cloud.ts";
import type { MachinePlatform } from "./machine-subject.ts";

/** Starts a server. The account `main` must be simulated. Records whose type starts with `cloud_` belong to the simulator. */
export async function startSimulatedPlatform(): Promise<MachinePlatform> {
  const server = await startServer();
  const simulated = openSimulatedCloud(() => createAdminCalls(server), "/v1/projects/default/accounts/main");
  return {
    server,
    simulated,
    async listLeft() {
      const records = await simulated.list();
      return records.filter(({ type }) => !type.startsWith("cloud_")).map(({ type, id }) => `${type}/${id}`);
    },
    stop: async () => void (await server.stop()),
  };
}
