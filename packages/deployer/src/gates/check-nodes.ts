import { findKubeletSkew } from "@cloudwright/contract";
import { waitForObjects, kubeFaults, type KubeClient, type KubeObject } from "@cloudwright/kube";
import { Fault, type Clock } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";

const nodes = { apiVersion: "v1", kind: "Node" };
const named = 5;

export interface NodeCheck {
  /** Kubernetes version of the control plane after the next step. */
  readonly version: string;
  /** How long to wait for unsupported nodes that are about to leave the cluster. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  tell(message: string): void;
}

/**
 * Throws if nodes would be unsupported by the next version of the control plane. Waits if all of them are about to be removed: they are
 * cordoned, being deleted, or managed by Karpenter, which replaces outdated nodes itself.
 */
export async function checkNodes(client: KubeClient, check: NodeCheck): Promise<void> {
  const { version, deadlineMs, signal, clock, tell } = check;
  let said = "";
  const look = (all: readonly KubeObject[]): true | string => {
    const unsupported = all.filter((node) => isUnsupported(version, node));
    if (unsupported.length === 0) return true;
    const message = describeNodes(version, unsupported);
    if (!unsupported.every(isLeaving)) throw new Fault(deployerFaults.nodes_too_old, message);
    if (message !== said) tell(`waiting for nodes to be replaced: ${(said = message)}`);
    return message;
  };
  try {
    await waitForObjects(client, nodes, {}, look, { deadlineMs, signal, clock });
  } catch (error) {
    if (said === "" || !(error instanceof Fault) || error.code !== kubeFaults.not_in_time.code) throw error;
    throw new Fault(deployerFaults.nodes_too_old, error.message);
  }
}

function isUnsupported(version: string, node: KubeObject): boolean {
  const skew = findKubeletSkew(version, kubeletOf(node));
  return skew === "too-old" || skew === "too-new";
}

function isLeaving({ metadata, ...node }: KubeObject): boolean {
  const spec = node["spec"] as { readonly unschedulable?: boolean } | undefined;
  const isKarpenters = metadata.labels?.["karpenter.sh/nodepool"] !== undefined;
  return metadata.deletionTimestamp !== undefined || spec?.unschedulable === true || isKarpenters;
}

function kubeletOf(node: KubeObject): string {
  const status = node["status"] as { readonly nodeInfo?: { readonly kubeletVersion?: string } } | undefined;
  return status?.nodeInfo?.kubeletVersion ?? "";
}

function describeNodes(version: string, unsupported: readonly KubeObject[]): string {
  const list = unsupported
    .slice(0, named)
    .map((node) => `${node.metadata.name} (${describePool(node)}kubelet ${kubeletOf(node)})`);
  const more = unsupported.length > named ? ` and ${unsupported.length - named} more` : "";
  const count = unsupported.length === 1 ? "1 node is" : `${unsupported.length} nodes are`;
  return `${count} not supported by a control plane with Kubernetes ${version}: ${list.join(", ")}${more}`;
}

/** Every cloud labels nodes with the name of their pool. The label keys differ between clouds, so they are matched by their last word. */
function describePool({ metadata }: KubeObject): string {
  const label = Object.entries(metadata.labels ?? {}).find(([key]) => /[/-](nodepool|nodegroup|agentpool)$/.test(key));
  return label === undefined ? "" : `pool ${label[1]}, `;
}
