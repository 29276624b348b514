import { isNodeReady, waitForObjects, type KubeClient, type KubeObject, type Look, type WaitOptions } from "@cloudwright/kube";

const nodes = { apiVersion: "v1", kind: "Node" };

export async function countReadyNodes(client: KubeClient, signal: AbortSignal): Promise<number> {
  return (await client.list(nodes, {}, signal)).items.filter(isNodeReady).length;
}

/**
 * Waits until at least `wanted` pool nodes are ready and reports each change in the number of ready nodes. Returns the total number of
 * ready nodes, including Karpenter's.
 */
export async function awaitNodes(
  client: KubeClient,
  wanted: number,
  tell: (message: string) => void,
  options: WaitOptions,
): Promise<number> {
  let ready = 0;
  let said = "";
  const look = (all: readonly KubeObject[]): Look => {
    // Karpenter's nodes come and go with the pods, so they do not count towards `wanted`.
    const own = all.filter(({ metadata }) => metadata.labels?.["karpenter.sh/nodepool"] === undefined);
    ready = all.filter(isNodeReady).length;
    const count = own.filter(isNodeReady).length;
    const message = `${count} of ${wanted} nodes ready`;
    if (message !== said) tell((said = message));
    return count >= wanted ? true : `${message}${describeLate(own)}`;
  };
  await waitForObjects(client, nodes, {}, look, options);
  return ready;
}

const named = 3;

function describeLate(all: readonly KubeObject[]): string {
  const late = all.filter((node) => !isNodeReady(node)).map(({ metadata }) => metadata.name);
  if (late.length === 0) return "";
  const more = late.length > named ? ` and ${late.length - named} more` : "";
  return `; not ready: ${late.slice(0, named).join(", ")}${more}`;
}
