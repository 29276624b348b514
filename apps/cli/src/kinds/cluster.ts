import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const cluster: CliKind<"Cluster"> = {
  verbs: [...provisionedVerbs, "upgrade", "kubeconfig", "discover", "import", "manage", "release", "token"],
  columns: [
    ["VERSION", ({ spec, status }) => status?.version || spec?.version],
    ["NETWORK", ({ spec }) => spec?.network],
    [
      "WORKERS",
      // The spec covers only the default node pool, so its count is used only until the actual node count is known.
      ({ spec, status }) =>
        status?.readyNodes === undefined
          ? spec?.workers
          : [status.readyNodes, status.wantedNodes].filter((count) => count !== undefined).join("/"),
    ],
    ["ENDPOINT", ({ status }) => status?.endpoint, "wide"],
  ],
  createExamples: [
    "cloud k8s create --name dev-cluster --vpc main --workers 2 --version v1.29.0",
    "cloud cluster create dev --network main --workers 2 --preview",
    "cloud cluster create dev --network main --workers 2 --wait",
  ],
  parentColumn: "NETWORK",
  hasPreview: true,
  networkByCloudId: true,
  updateExamples: ["cloud cluster update dev --workers 3 --wait"],
};
