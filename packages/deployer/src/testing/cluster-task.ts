import { Secret } from "@cloudwright/platform";
import type { KubeAccess } from "@cloudwright/kube";
import type { Cloud, OpenCloud } from "../cloud.ts";
import type { DeployerTask, JsonObject, StateAccess } from "../task.ts";
import { createTestTask, type TestTaskOptions } from "./test-task.ts";

const state: StateAccess = { address: "", lockAddress: "", unlockAddress: "", username: "", password: new Secret("") };

/** Creates a task for an existing cluster in a simulated AWS account. */
export function createClusterTask(type: string, options: TestTaskOptions = {}): DeployerTask {
  const outputs: JsonObject = {
    cluster_name: "dev-1",
    endpoint: "https://cluster.test",
    certificate_authority: Buffer.from("pem").toString("base64"),
    ready_nodes: 0,
    infra_version: "v0.1.0",
    ...options.outputs,
  };
  const network = { kind: "Network", uid: "n", name: "net", spec: { region: "eu-west-1" }, outputs: {} };
  return createTestTask(type, { openState: async () => state, parents: [network], ...options, outputs });
}

/** Creates a cloud without resources. `access` is returned for every cluster. */
export function openTestCloud(access: KubeAccess, own: Partial<Cloud> = {}): OpenCloud {
  return async () => ({
    openTerraform: async () => ({ providers: { reattach: {} } }),
    listOwned: async () => [],
    openCluster: async () => access,
    close: async () => undefined,
    ...own,
  });
}
