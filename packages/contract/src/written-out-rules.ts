import { cloudRules } from "./clouds/rules.ts";
import type { AccountSpec } from "../gen/cloudwright/v1/account_pb.ts";
import type { ClusterSpec } from "../gen/cloudwright/v1/cluster_pb.ts";
import type { InstanceSpec, RootDisk } from "../gen/cloudwright/v1/instance_pb.ts";
import type { NodePoolSpec } from "../gen/cloudwright/v1/node_pool_pb.ts";
import type { AclRule } from "../gen/cloudwright/v1/network_pb.ts";
import type { Bucket, LifecycleRule, StorageSpec } from "../gen/cloudwright/v1/storage_pb.ts";

/**
 * Fast versions of the CEL rules in the proto files, keyed by rule id. They must not accept anything that the CEL rules reject. The
 * validator checks all rules that are not listed here.
 */
export const writtenOutRules: Readonly<Record<string, (message: never) => boolean>> = {
  ...Object.fromEntries(
    cloudRules.flatMap(({ accountRules, clusterRules = {}, networkRules = {}, nodePoolRules = {} }) =>
      Object.entries({ ...accountRules, ...clusterRules, ...networkRules, ...nodePoolRules }),
    ),
  ),
  "account.cloud": ({ cloud }: AccountSpec) => cloud.case !== undefined,
  "account.local_is_real": ({ cloud, simulated }: AccountSpec) => cloud.case !== "local" || !simulated,
  "acl_rule.ports": ({ fromPort, toPort, protocol }: AclRule) =>
    fromPort <= toPort && (protocol === "tcp" || protocol === "udp" || toPort === 0),
  "bucket.lock_versioned": ({ objectLock, versioning }: Bucket) => objectLock === undefined || versioning,
  "bucket.replication_versioned": ({ replication, versioning }: Bucket) => replication === undefined || versioning,
  "cluster.direct_infra": ({ provisioner, infra }: ClusterSpec) =>
    provisioner !== "direct" ||
    infra === undefined ||
    (infra.version === "" && infra.overrides === undefined && infra.backend === undefined),
  "cluster.direct_managed": ({ provisioner, controlPlaneNodes, cloud }: ClusterSpec) =>
    provisioner !== "direct" || (controlPlaneNodes === 0 && cloud.case !== "local"),
  "cluster.endpoint_reachable": ({ endpoint }: ClusterSpec) =>
    endpoint === undefined || endpoint.public || endpoint.publicCidrs.length === 0,
  "instance.direct_infra": ({ infra }: InstanceSpec) =>
    infra === undefined || (infra.version === "" && infra.overrides === undefined && infra.backend === undefined),
  "lifecycle_rule.does_something": (rule: LifecycleRule) =>
    rule.expireAfterDays + rule.expireNoncurrentAfterDays + rule.abortUploadsAfterDays > 0 || rule.transitions.length > 0,
  "node_pool.sizes": ({ min, desired, max }: NodePoolSpec) => min <= desired && desired <= max,
  "root_disk.key_encrypts": ({ kmsKey, encrypted }: RootDisk) => kmsKey === "" || encrypted !== false,
  "storage.type": ({ type }: StorageSpec) => type.case !== undefined,
};
