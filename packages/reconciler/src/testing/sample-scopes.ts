import type { EntityJson, JsonObject, TaskTypeName } from "@cloudwright/contract";
import type { TaskWish } from "../engine/decision.ts";
import type { Ancestor, Part, Scope, ScopeEntity, ScopeTask } from "../engine/scope.ts";
import { inventorySpec, inventoryUid } from "./sample-inventory.ts";
import {
  accountSpec,
  networkSpec,
  clusterSpec,
  poolSpec,
  bucketSpec,
  volumeSpec,
  instanceSpec,
  groupSpec,
  diskSpec,
  sshKeySpec,
  outputs,
} from "./sample-specs.ts";

/** A scope and the task to render from it. */
export interface SampleTask {
  /** Distinguishes samples of the same task type. */
  readonly what: string;
  readonly scope: Scope;
  readonly wish: TaskWish;
}

const uids = {
  account: "01980000-0000-7000-8000-00000000000a",
  rack: "01980000-0000-7000-8000-00000000001a",
  network: "01980000-0000-7000-8000-00000000000b",
  cluster: "01980000-0000-7000-8000-00000000000c",
  pool: "01980000-0000-7000-8000-00000000000d",
  bucket: "01980000-0000-7000-8000-00000000000e",
  volume: "01980000-0000-7000-8000-00000000001e",
  instance: "01980000-0000-7000-8000-00000000002e",
  sshKey: "01980000-0000-7000-8000-00000000003e",
  lan: "01980000-0000-7000-8000-00000000001b",
  machine: "01980000-0000-7000-8000-00000000004e",
  group: "01980000-0000-7000-8000-00000000005e",
  otherGroup: "01980000-0000-7000-8000-00000000006e",
  disk: "01980000-0000-7000-8000-00000000007e",
  snapshot: "01980000-0000-7000-8000-00000000008e",
  operation: "01980000-0000-7000-8000-00000000000f",
  plan: "01980000-0000-7000-8000-0000000000aa",
  newcomer: "01980000-0000-7000-8000-0000000000bb",
};

/** Returns at least one sample of every task type that the reconciler enqueues. */
export function listSampleTasks(): SampleTask[] {
  const account = entityOf("Account", uids.account, "sandbox", null, accountSpec);
  const rack = entityOf("Account", uids.rack, "rack", null, { local: { agentLabel: "rack-1" }, simulated: true });
  const network = entityOf("Network", uids.network, "main", uids.account, networkSpec);
  const cluster = entityOf("Cluster", uids.cluster, "dev", uids.network, clusterSpec);
  const bucket = entityOf("Storage", uids.bucket, "assets", uids.cluster, bucketSpec);
  const volume = entityOf("Storage", uids.volume, "disk", uids.cluster, volumeSpec);
  const aboveNetwork = [ancestorOf(account, {})];
  const aboveCluster = [ancestorOf(network, outputs.network), ...aboveNetwork];
  const aboveStorage = [ancestorOf(cluster, outputs.cluster), ...aboveCluster];
  const pools = [{ kind: "NodePool", uid: uids.pool, name: "batch", generation: 2, retries: 1, spec: poolSpec }];
  const atAccount = scopeOf(account, [], []);
  const newNetwork = scopeOf(network, [ancestorOf(account, null)], []);
  const builtNetwork = scopeOf(network, aboveNetwork, [], doneTask("network.apply", outputs.network));
  const newCluster = scopeOf(cluster, aboveCluster, pools);
  const builtCluster = scopeOf(cluster, aboveCluster, pools, doneTask("cluster.apply", outputs.cluster));
  const newBucket = scopeOf(bucket, aboveStorage, []);
  const builtVolume = scopeOf(volume, aboveStorage, [], doneTask("storage.apply", { resource_id: "vol-1" }));
  const instance = entityOf("Instance", uids.instance, "web", uids.network, instanceSpec);
  const sshKey = entityOf("SshKey", uids.sshKey, "ops", null, sshKeySpec);
  const links = [{ ...ancestorOf(sshKey, null), field: "sshKeys" }];
  const newInstance = { ...scopeOf(instance, aboveCluster, []), links };
  const atInstance = { instance_id: "i-1", private_address: "10.1.1.4", is_new: true };
  const builtInstance = { ...scopeOf(instance, aboveCluster, [], doneTask("instance.apply", atInstance)), links };
  const machines = ancestorOf(entityOf("Account", uids.rack, "rack", null, { local: { agentLabel: "rack-1" } }), {});
  const lan = entityOf("Network", uids.lan, "lan", uids.rack, { account: "rack", cidr: "192.168.10.0/24" });
  const aboveGroup = [ancestorOf(lan, { network_id: `${uids.lan}-this` }), machines];
  const db = ancestorOf(entityOf("SecurityGroup", uids.otherGroup, "db", uids.lan, { network: "lan", rules: [] }), null);
  const groups = { links: [{ ...db, field: "rules.group" }] };
  const group = entityOf("SecurityGroup", uids.group, "web", uids.lan, groupSpec);
  const newGroup = { ...scopeOf(group, aboveGroup, []), ...groups };
  const atGroup = doneTask("securitygroup.apply", { group_id: `${uids.group}-this` });
  const builtGroup = { ...scopeOf(group, aboveGroup, [], atGroup), ...groups };
  const builtLan = scopeOf(lan, [machines], [], doneTask("network.apply", { network_id: `${uids.lan}-this` }));
  const machine = entityOf("Instance", uids.machine, "web", uids.lan, { network: "lan" });
  const attached = { links: [{ ...ancestorOf(machine, { instance_id: `${uids.machine}-this` }), field: "instance" }] };
  const disk = entityOf("Volume", uids.disk, "data", uids.rack, diskSpec);
  const newDisk = { ...scopeOf(disk, [machines], []), ...attached };
  const builtDisk = {
    ...scopeOf(disk, [machines], [], doneTask("volume.apply", { volume_id: `${uids.disk}-this` })),
    ...attached,
  };
  const snapshotSpec = { account: "rack", volume: "data", volumeUid: uids.disk };
  const snapshot = entityOf("VolumeSnapshot", uids.snapshot, "s1", uids.rack, snapshotSpec);
  const newSnapshot = scopeOf(snapshot, [machines], []);
  const builtSnapshot = scopeOf(
    snapshot,
    [machines],
    [],
    doneTask("volumesnapshot.apply", { snapshot_id: `${uids.snapshot}-this`, size_gib: 20 }),
  );
  const atRack = scopeOf(entityOf("Account", uids.rack, "rack", null, { local: { agentLabel: "rack-1" } }), [], []);
  const shelf = entityOf("Inventory", inventoryUid, "shelf", uids.rack, inventorySpec);
  const newShelf = { ...scopeOf(shelf, [machines], []), links: [{ ...ancestorOf(sshKey, null), field: "sshKey" }] };
  const applied = { round: 1, plan: uids.plan };
  const newcomer = { kind: "Storage", uid: uids.newcomer, name: "new", environment: "" };
  return [
    sample("as it was created", atAccount, "account.verify"),
    sample("on machines of one's own", scopeOf(rack, [], []), "account.verify"),
    sample("before the account was verified", newNetwork, "network.preflight"),
    sample("of what exists", builtNetwork, "network.look", { candidate: { ...networkSpec, nat: "none" } }),
    sample("of what would be created", atAccount, "network.look", {
      candidate: networkSpec,
      newcomer: { ...newcomer, kind: "Network" },
    }),
    sample("of a change", builtNetwork, "network.preview", { candidate: { ...networkSpec, nat: "none" } }),
    sample("the first", newNetwork, "network.plan", { round: 1 }),
    sample("of a plan", newNetwork, "network.apply", applied),
    sample("of what was built", builtNetwork, "network.destroy"),
    sample("of what was built", builtNetwork, "network.check"),
    sample("with a node pool", newCluster, "cluster.preflight"),
    sample("of a pool that would be created", builtCluster, "cluster.look", {
      candidate: poolSpec,
      newcomer: { ...newcomer, kind: "NodePool", environment: "staging" },
    }),
    sample("of what would be created", builtNetwork, "cluster.look", {
      candidate: clusterSpec,
      newcomer: { ...newcomer, kind: "Cluster" },
    }),
    sample("of a change", builtCluster, "cluster.preview", { candidate: { ...clusterSpec, version: "1.33", workers: 4 } }),
    sample("over several minor versions", builtCluster, "cluster.plan", { round: 2 }),
    sample("of a plan", builtCluster, "cluster.apply", applied),
    sample("with a node pool", builtCluster, "cluster.destroy"),
    sample("of what was built", builtCluster, "cluster.check"),
    sample("of what was built", builtCluster, "cluster.access"),
    sample("of what was built", builtCluster, "cluster.addons"),
    sample("a bucket", newBucket, "storage.preflight"),
    sample("of a volume that would be created", builtCluster, "storage.look", { candidate: volumeSpec, newcomer }),
    sample("of a volume", builtVolume, "storage.preview", { candidate: volumeSpec }),
    sample("of a bucket", newBucket, "storage.plan", { round: 1 }),
    sample("of a bucket", newBucket, "storage.apply", applied),
    sample("of a volume", builtVolume, "storage.destroy"),
    sample("of a volume", builtVolume, "storage.check"),
    sample("with a key", newInstance, "instance.preflight"),
    sample("of what would be created", builtNetwork, "instance.look", {
      candidate: instanceSpec,
      newcomer: { ...newcomer, kind: "Instance" },
    }),
    sample("of a change", builtInstance, "instance.preview", { candidate: { ...instanceSpec, running: false } }),
    sample("with a key", newInstance, "instance.plan", { round: 1 }),
    sample("of a plan", newInstance, "instance.apply", applied),
    sample("of what was built", builtInstance, "instance.destroy"),
    sample("of what was built", builtInstance, "instance.check"),
    sample("of what was built", builtInstance, "instance.hostkeys"),
    sample("a machine", builtInstance, "instance.adopt", { repair: { address: "aws_instance.this", id: "i-1", dryRun: false } }),
    sample("a machine", builtInstance, "instance.forget", { repair: { address: "aws_instance.this", id: "", dryRun: false } }),
    sample("with its SSH key", newShelf, "inventory.verify"),
    sample("of what was listed", newShelf, "inventory.check"),
    sample("with a rule for another group", newGroup, "securitygroup.preflight"),
    sample("of what would be created", builtLan, "securitygroup.look", {
      candidate: groupSpec,
      newcomer: { ...newcomer, kind: "SecurityGroup" },
    }),
    sample("of a change", builtGroup, "securitygroup.preview", { candidate: { ...groupSpec, rules: [] } }),
    sample("with a rule for another group", newGroup, "securitygroup.plan", { round: 1 }),
    sample("of a plan", newGroup, "securitygroup.apply", applied),
    sample("of what was built", builtGroup, "securitygroup.destroy"),
    sample("of what was built", builtGroup, "securitygroup.check"),
    sample("a group", builtGroup, "securitygroup.adopt", {
      repair: { address: "local_security_group.this", id: `${uids.group}-this`, dryRun: false },
    }),
    sample("a group", builtGroup, "securitygroup.forget", {
      repair: { address: "local_security_group.this", id: "", dryRun: false },
    }),
    sample("attached to an instance", newDisk, "volume.preflight"),
    sample("of what would be created", atRack, "volume.look", {
      candidate: { ...diskSpec, instance: "" },
      newcomer: { ...newcomer, kind: "Volume" },
    }),
    sample("of a change", builtDisk, "volume.preview", { candidate: { ...diskSpec, sizeGib: 40 } }),
    sample("attached to an instance", newDisk, "volume.plan", { round: 1 }),
    sample("of a plan", newDisk, "volume.apply", applied),
    sample("of what was built", builtDisk, "volume.destroy"),
    sample("of what was built", builtDisk, "volume.check"),
    sample("a disk", builtDisk, "volume.adopt", {
      repair: { address: "local_volume.this", id: `${uids.disk}-this`, dryRun: false },
    }),
    sample("a disk", builtDisk, "volume.forget", { repair: { address: "local_volume.this", id: "", dryRun: true } }),
    sample("an archive", atRack, "account.images", {
      imageWork: { action: "import", image: "web", path: "/srv/images/web.tar", format: "rootfs", sha256: "" },
    }),
    sample("of a volume", newSnapshot, "volumesnapshot.preflight"),
    sample("of what would be created", atRack, "volumesnapshot.look", {
      candidate: snapshotSpec,
      newcomer: { ...newcomer, kind: "VolumeSnapshot" },
    }),
    sample("of a change", builtSnapshot, "volumesnapshot.preview", { candidate: snapshotSpec }),
    sample("of a volume", newSnapshot, "volumesnapshot.plan", { round: 1 }),
    sample("of a plan", newSnapshot, "volumesnapshot.apply", applied),
    sample("of what was built", builtSnapshot, "volumesnapshot.destroy"),
    sample("of what was built", builtSnapshot, "volumesnapshot.check"),
    sample("a copy", builtSnapshot, "volumesnapshot.adopt", {
      repair: { address: "local_volume_snapshot.this", id: `${uids.snapshot}-this`, dryRun: false },
    }),
    sample("a copy", builtSnapshot, "volumesnapshot.forget", {
      repair: { address: "local_volume_snapshot.this", id: "", dryRun: true },
    }),
    sample("a subnet", builtNetwork, "network.adopt", {
      repair: { address: 'aws_subnet.intra["a"]', id: "subnet-1", dryRun: false },
    }),
    sample("a subnet", builtNetwork, "network.forget", { repair: { address: 'aws_subnet.intra["a"]', id: "", dryRun: true } }),
    sample("a role", builtCluster, "cluster.adopt", { repair: { address: "aws_iam_role.cluster", id: "dev", dryRun: true } }),
    sample("a role", builtCluster, "cluster.forget", { repair: { address: "aws_iam_role.cluster", id: "", dryRun: false } }),
    sample("a volume", builtVolume, "storage.adopt", {
      repair: { address: "aws_ebs_volume.this[0]", id: "vol-1", dryRun: false },
    }),
    sample("a volume", builtVolume, "storage.forget", { repair: { address: "aws_ebs_volume.this[0]", id: "", dryRun: false } }),
  ];
}

function sample(what: string, scope: Scope, type: TaskTypeName, more: Partial<TaskWish> = {}): SampleTask {
  const plain = { lane: "long", operationUid: uids.operation, retries: 0, fingerprint: `of ${type}`, after: null } as const;
  return { what, scope, wish: { ...plain, ...more, type } };
}

function entityOf(kind: string, uid: string, name: string, parentUid: string | null, spec: JsonObject): ScopeEntity {
  const labels = { team: "shop" };
  const object: EntityJson = {
    metadata: { project: "default", name, uid, labels, annotations: { note: "a sample" }, generation: 3, environment: "staging" },
    spec,
    status: {},
  };
  return { uid, kind, project: "default", name, parentUid, environment: "staging", labels, version: "7", object };
}

function ancestorOf({ uid, kind, object }: ScopeEntity, produced: JsonObject | null): Ancestor {
  return { uid, kind, object, outputs: produced, runs: [] };
}

function scopeOf(entity: ScopeEntity, above: readonly Ancestor[], parts: readonly Part[], ...tasks: ScopeTask[]): Scope {
  const spec = { verb: "update", actor: "ada", force: false, retries: 0, cancelReason: "", allow: ["replace"] };
  const object = { metadata: {}, spec, status: { state: "RUNNING" } };
  return {
    nowMs: 0,
    entity,
    above,
    pausedBy: "",
    windows: [],
    referrers: { count: 0, some: [], failed: [] },
    links: [],
    parts,
    operation: { uid: uids.operation, version: "1", environment: "staging", parentUid: null, object },
    olderOperations: [],
    previews: [],
    repairs: [],
    tasks,
    begun: false,
    plan: undefined,
    drift: undefined,
    forgotten: [],
    agents: undefined,
  };
}

function doneTask(type: TaskTypeName, result: JsonObject): ScopeTask {
  return {
    uid: uids.plan,
    type,
    state: "done",
    attempt: 1,
    maxAttempts: 3,
    operationUid: uids.operation,
    fingerprint: "",
    retries: 0,
    placement: {},
    payloadVersion: 2,
    cancelReason: "",
    round: 1,
    plan: null,
    outcome: { state: "done", result },
    progress: null,
    createdAtMs: 0,
    startedAtMs: 0,
    endedAtMs: 0,
    delayedUntilMs: null,
  };
}
