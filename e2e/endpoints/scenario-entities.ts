import { getKind, type JsonObject } from "@cloudwright/contract";
import { entityExamples } from "@cloudwright/contract/openapi";
import { generateKeyPair } from "@cloudwright/platform/openssh-key";

/** Returns the name that a run gives its entity of this kind. For global kinds, the name contains the run's mark. */
export function nameOf(mark: string, kind: string): string {
  const { name } = exampleOf(kind)["metadata"] as { name: string };
  return getKind(kind).scope === "global" ? `${name}-${mark}` : name;
}

/** Returns an entity as a caller would send it, based on the OpenAPI example of its kind. The example may refer to parent entities. */
export function entityOf(mark: string, kind: string): JsonObject {
  const { metadata, spec } = exampleOf(kind);
  return {
    metadata: { ...(metadata as JsonObject), name: nameOf(mark, kind), labels: { tier: "dev" } },
    spec: { ...(spec as JsonObject), ...specs[kind]?.(mark) },
  };
}

/** Returns a replacement for the entity, with a different label and a different spec value. */
export function replacementOf(mark: string, kind: string): JsonObject {
  const { metadata, spec } = entityOf(mark, kind);
  return {
    metadata: { ...(metadata as JsonObject), labels: { tier: "test" } },
    spec: { ...(spec as JsonObject), ...replacements[kind] },
  };
}

function exampleOf(kind: string): JsonObject {
  const example = entityExamples[kind];
  if (example === undefined) throw new Error(`the description has no example of the kind ${kind}`);
  return example;
}

const { publicKey, privateKey } = generateKeyPair();
const keyPair: JsonObject = { publicKey, privateKey };

/** Spec values that override the OpenAPI examples. They contain the run's mark, or exercise more of the wire format. */
const specs: Readonly<Record<string, (mark: string) => JsonObject>> = {
  ApiKey: (mark) => ({ user: nameOf(mark, "User"), expiresAt: "2099-01-31T12:00:00Z" }),
  RoleBinding: (mark) => ({ user: nameOf(mark, "User"), role: "viewer" }),
  Account: () => ({ aws: { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "not-a-secret", accountId: "123456789012" } }),
  // A key that the server generates would differ between the endpoints.
  SshKey: () => keyPair,
  VolumeSnapshot: (mark) => ({ volume: nameOf(mark, "Volume") }),
  NodePool: () => ({ nodeLabels: { tier: "batch" }, taints: [{ key: "batch", effect: "NoSchedule" }], zones: ["a", "b"] }),
};

const replacements: Readonly<Record<string, JsonObject>> = {
  Project: { displayName: "The other shop" },
  User: { displayName: "Ada L." },
  Environment: { description: "Where releases are tried twice" },
  Account: { aws: { accessKeyId: "AKIAIOSFODNN7EXAMPLE" } },
  Network: { nat: "single" },
  Cluster: { workers: 3, addOns: [{ name: "metrics-server" }] },
  NodePool: { max: 7 },
  Storage: { bucket: { versioning: false } },
  Instance: { running: false },
  SecurityGroup: { rules: [{ direction: "egress", protocol: "udp", fromPort: 53, toPort: 54, group: "self" }] },
  Volume: { sizeGib: 30 },
  VolumeSnapshot: { infra: { approval: "always" } },
  Inventory: { user: "admin" },
  Agent: { draining: true },
};
