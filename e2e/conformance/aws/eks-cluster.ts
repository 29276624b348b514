import { objectOf, textOf, type Json, type JsonObject } from "@cloudwright/platform";
import { offeredVersions } from "@cloudwright/simulator";
import { randomUUID } from "node:crypto";

/** An error response from EKS. */
export class EksError extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
  get status(): number {
    return /NotFound/.test(this.type) ? 404 : this.type === "ResourceInUseException" ? 409 : 400;
  }
}

/** An emulated EKS cluster with its node groups, add-ons, access entries and pod identities. */
export interface EksCluster {
  readonly name: string;
  describe(): JsonObject;
  hasLogs(): boolean;
  /** Throws if EKS would refuse to delete the cluster. */
  checkRemoval(): void;
  /** Returns the tags of the cluster or of the resource in the cluster that has the given ARN. Returns undefined for any other ARN. */
  findTags(arn: string): JsonObject | undefined;
  call(operation: string, input: JsonObject): JsonObject;
}

const account = "123456789012";
const latest = offeredVersions.at(-1)?.version ?? "";
const creator = `arn:aws:iam::${account}:root`;

/** Returns the requested Kubernetes version, or the latest one if none was requested. Throws if EKS does not offer it. */
function findVersion(requested: Json | undefined): string {
  const version = typeof requested === "string" ? requested : latest;
  if (offeredVersions.some((each) => each.version === version)) return version;
  throw new EksError("InvalidParameterException", `unsupported Kubernetes version ${version}`);
}

/** Describes the default add-on version for a Kubernetes version, in EKS's format. All emulated add-ons have the same version. */
export function usualAddonVersion(kubernetesVersion: string): JsonObject {
  const minor = minorOf(kubernetesVersion === "" ? latest : kubernetesVersion);
  const compatibility = { clusterVersion: kubernetesVersion, defaultVersion: true, platformVersions: ["*"] };
  return { addonVersion: `v1.${minor}.1-eksbuild.1`, architecture: ["amd64", "arm64"], compatibilities: [compatibility] };
}

/** Describes the named Kubernetes versions as EKS does. Without names, describes all versions in standard support. */
export function listUsualVersions(names: readonly string[]): JsonObject[] {
  const wanted = offeredVersions.filter(({ version, status }) =>
    names.length > 0 ? names.includes(version) : status === "STANDARD_SUPPORT",
  );
  return wanted.map(({ version, status }) => ({
    clusterType: "eks",
    clusterVersion: version,
    defaultVersion: version === latest,
    versionStatus: status,
  }));
}

function minorOf(version: Json | undefined): number {
  return Number(textOf(version).split(".")[1]);
}

/** A kind of resource in a cluster, with the names that requests and responses use for it. */
interface Part {
  readonly member: string;
  readonly id: string;
  readonly arn: string;
  readonly items: Map<string, JsonObject>;
}

/** Creates a cluster from the input of CreateCluster. */
export function createEksCluster(input: JsonObject, region: string): EksCluster {
  const name = textOf(input["name"]);
  const arnOf = (path: string): string => `arn:aws:eks:${region}:${account}:${path}`;
  const id = randomUUID().replaceAll("-", "").toUpperCase();
  const network = objectOf(input["kubernetesNetworkConfig"]);
  const { bootstrapClusterCreatorAdminPermissions: isCreatorAdmin = true, ...access } = objectOf(input["accessConfig"]);
  const cluster: JsonObject = {
    name,
    arn: arnOf(`cluster/${name}`),
    createdAt: 1_700_000_000,
    version: findVersion(input["version"]),
    endpoint: `https://${id}.gr7.${region}.eks.amazonaws.com`,
    roleArn: input["roleArn"] ?? "",
    resourcesVpcConfig: {
      endpointPublicAccess: true,
      endpointPrivateAccess: false,
      publicAccessCidrs: ["0.0.0.0/0"],
      ...objectOf(input["resourcesVpcConfig"]),
      securityGroupIds: [],
      clusterSecurityGroupId: "sg-0c1a5e7",
      vpcId: "vpc-0c1a5e7",
    },
    kubernetesNetworkConfig: {
      ipFamily: "ipv4",
      elasticLoadBalancing: { enabled: false },
      serviceIpv4Cidr: "172.20.0.0/16",
      ...network,
    },
    logging: readLogging(input["logging"]),
    identity: { oidc: { issuer: `https://oidc.eks.${region}.amazonaws.com/id/${id}` } },
    status: "ACTIVE",
    certificateAuthority: { data: Buffer.from("certificate").toString("base64") },
    platformVersion: "eks.1",
    tags: { ...objectOf(input["tags"]) },
    encryptionConfig: input["encryptionConfig"] ?? [],
    accessConfig: { authenticationMode: "CONFIG_MAP", ...access },
    upgradePolicy: { supportType: "EXTENDED", ...objectOf(input["upgradePolicy"]) },
    deletionProtection: input["deletionProtection"] ?? false,
  };
  checkSupport(cluster, objectOf(cluster["upgradePolicy"]));
  const part = (member: string, idMember: string, arn: string): Part => ({ member, id: idMember, arn, items: new Map() });
  const groups = part("nodegroup", "nodegroupName", "nodegroupArn");
  const addons = part("addon", "addonName", "addonArn");
  const entries = part("accessEntry", "principalArn", "accessEntryArn");
  const identities = part("association", "associationId", "associationArn");
  const policies = new Map<string, Map<string, JsonObject>>();

  function add(to: Part, key: string, item: JsonObject, path: string): JsonObject {
    if (to.items.has(key)) {
      throw new EksError(
        "ResourceInUseException",
        `The specified ${to.member} resource is already in use on this cluster: ${key}`,
      );
    }
    const whole = {
      clusterName: name,
      createdAt: 1_700_000_000,
      modifiedAt: 1_700_000_000,
      ...item,
      [to.id]: key,
      [to.arn]: arnOf(`${path}/${name}/${key}/${randomUUID()}`),
      tags: { ...objectOf(item["tags"]) },
    };
    to.items.set(key, whole);
    return whole;
  }

  function get(from: Part, call: JsonObject): JsonObject {
    const item = from.items.get(textOf(call[from.id]));
    if (item !== undefined) return item;
    throw new EksError("ResourceNotFoundException", `No ${from.member} found for: ${textOf(call[from.id])}`);
  }

  function remove(from: Part, call: JsonObject): JsonObject {
    const item = get(from, call);
    from.items.delete(textOf(call[from.id]));
    return item;
  }

  const operations: Readonly<Record<string, (call: JsonObject) => JsonObject>> = {
    DescribeCluster: () => ({ cluster }),
    DescribeUpdate: ({ updateId }) => ({ update: { ...updated("ConfigUpdate"), id: updateId ?? "" } }),
    UpdateClusterVersion({ version }) {
      if (minorOf(version) !== minorOf(cluster["version"]) + 1) {
        throw new EksError(
          "InvalidParameterException",
          `Unsupported Kubernetes minor version update from ${textOf(cluster["version"])} to ${textOf(version)}`,
        );
      }
      cluster["version"] = findVersion(version);
      return { update: updated("VersionUpdate") };
    },
    UpdateClusterConfig: ({ name: _name, clientRequestToken: _token, ...change }) => (
      changeCluster(cluster, change),
      { update: updated("ConfigUpdate") }
    ),
    AssociateEncryptionConfig({ encryptionConfig }) {
      if ((cluster["encryptionConfig"] as Json[]).length > 0) {
        throw new EksError("InvalidRequestException", "Encryption is already enabled on this cluster");
      }
      cluster["encryptionConfig"] = encryptionConfig ?? [];
      return { update: updated("AssociateEncryptionConfig") };
    },

    CreateNodegroup({ clientRequestToken: _token, ...call }) {
      checkScaling(objectOf(call["scalingConfig"]));
      const version = textOf(call["version"] ?? cluster["version"]);
      const group = {
        capacityType: "ON_DEMAND",
        ...call,
        version,
        releaseVersion: `${version}.0-20260101`,
        status: "ACTIVE",
        resources: { autoScalingGroups: [{ name: `eks-${textOf(call["nodegroupName"])}` }] },
        health: { issues: [] },
      };
      // EKS creates an access entry for the nodes' role, so that the nodes can join the cluster.
      const role = textOf(call["nodeRole"]);
      if (!entries.items.has(role))
        add(
          entries,
          role,
          { type: "EC2_LINUX", username: "system:node:{{EC2PrivateDNSName}}", kubernetesGroups: ["system:nodes"] },
          "access-entry/role",
        );
      return { nodegroup: add(groups, textOf(call["nodegroupName"]), group, "nodegroup") };
    },
    DescribeNodegroup: (call) => ({ nodegroup: get(groups, call) }),
    UpdateNodegroupConfig(call) {
      changeGroup(get(groups, call), call);
      return { update: updated("ConfigUpdate") };
    },
    UpdateNodegroupVersion(call) {
      const group = get(groups, call);
      const version = textOf(call["version"] ?? group["version"]);
      if (minorOf(version) > minorOf(cluster["version"]))
        throw new EksError("InvalidParameterException", "The version of nodes must not be higher than that of the control plane");
      const template = { ...objectOf(group["launchTemplate"]), ...objectOf(call["launchTemplate"]) };
      Object.assign(group, { version, releaseVersion: `${version}.0-20260101`, launchTemplate: template });
      return { update: updated("VersionUpdate") };
    },
    DeleteNodegroup: (call) => ({ nodegroup: remove(groups, call) }),

    CreateAddon({ resolveConflicts: _conflicts, clientRequestToken: _token, ...call }) {
      const usual = usualAddonVersion(textOf(cluster["version"]))["addonVersion"] ?? "";
      const addon = { addonVersion: usual, ...call, status: "ACTIVE", health: { issues: [] } };
      return { addon: add(addons, textOf(call["addonName"]), addon, "addon") };
    },
    DescribeAddon: (call) => ({ addon: get(addons, call) }),
    UpdateAddon({ resolveConflicts: _conflicts, clientRequestToken: _token, ...call }) {
      Object.assign(get(addons, call), call);
      return { update: updated("AddonUpdate") };
    },
    DeleteAddon: (call) => ({ addon: remove(addons, call) }),

    CreateAccessEntry({ clientRequestToken: _token, ...call }) {
      const principal = textOf(call["principalArn"]);
      const entry = { type: "STANDARD", username: principal, kubernetesGroups: [], ...call };
      return { accessEntry: add(entries, principal, entry, "access-entry/role") };
    },
    DescribeAccessEntry: (call) => ({ accessEntry: get(entries, call) }),
    UpdateAccessEntry({ clientRequestToken: _token, ...call }) {
      return { accessEntry: Object.assign(get(entries, call), call) };
    },
    DeleteAccessEntry(call) {
      remove(entries, call);
      policies.delete(textOf(call["principalArn"]));
      return {};
    },
    AssociateAccessPolicy(call) {
      get(entries, call);
      const principal = textOf(call["principalArn"]);
      const of = policies.get(principal) ?? new Map<string, JsonObject>();
      const policy = {
        policyArn: call["policyArn"] ?? "",
        accessScope: call["accessScope"] ?? {},
        associatedAt: 1_700_000_000,
        modifiedAt: 1_700_000_000,
      };
      policies.set(principal, of.set(textOf(call["policyArn"]), policy));
      return { clusterName: name, principalArn: principal, associatedAccessPolicy: policy };
    },
    ListAssociatedAccessPolicies(call) {
      get(entries, call);
      const principalArn = textOf(call["principalArn"]);
      return { clusterName: name, principalArn, associatedAccessPolicies: [...(policies.get(principalArn)?.values() ?? [])] };
    },
    DisassociateAccessPolicy(call) {
      get(entries, call);
      policies.get(textOf(call["principalArn"]))?.delete(textOf(call["policyArn"]));
      return {};
    },

    CreatePodIdentityAssociation({ clientRequestToken: _token, ...call }) {
      const twin = [...identities.items.values()].find(
        (each) => each["namespace"] === call["namespace"] && each["serviceAccount"] === call["serviceAccount"],
      );
      if (twin !== undefined)
        throw new EksError("ResourceInUseException", `Association already exists: ${textOf(twin["associationId"])}`);
      return {
        association: add(identities, `a-${randomUUID().slice(0, 17).replaceAll("-", "")}`, call, "podidentityassociation"),
      };
    },
    DescribePodIdentityAssociation: (call) => ({ association: get(identities, call) }),
    UpdatePodIdentityAssociation({ clientRequestToken: _token, ...call }) {
      return { association: Object.assign(get(identities, call), call) };
    },
    DeletePodIdentityAssociation: (call) => ({ association: remove(identities, call) }),
  };

  if (isCreatorAdmin === true) {
    add(entries, creator, { type: "STANDARD", username: creator, kubernetesGroups: [] }, "access-entry/user");
  }
  return {
    name,
    describe: () => cluster,
    hasLogs: () => (objectOf(cluster["logging"])["clusterLogging"] as Json[]).some((each) => objectOf(each)["enabled"] === true),
    checkRemoval() {
      if (cluster["deletionProtection"] === true)
        throw new EksError("InvalidRequestException", "Deletion protection is enabled on the cluster");
      if (groups.items.size > 0) throw new EksError("ResourceInUseException", "Cluster has nodegroups attached");
    },
    findTags(arn) {
      const found = [cluster, ...[groups, addons, entries, identities].flatMap(({ items }) => [...items.values()])].find((each) =>
        Object.values(each).includes(arn),
      );
      return found === undefined ? undefined : (found["tags"] as JsonObject);
    },
    call(operation, call) {
      const run = operations[operation];
      if (run === undefined) throw new EksError("InvalidRequestException", `the test's EKS does not implement ${operation}`);
      return run(call);
    },
  };
}

function updated(type: string): JsonObject {
  return { id: randomUUID(), status: "Successful", type, createdAt: 1_700_000_000, errors: [], params: [] };
}

function readLogging(logging: Json | undefined): JsonObject {
  const all = ["api", "audit", "authenticator", "controllerManager", "scheduler"];
  const setups = objectOf(logging)["clusterLogging"];
  const enabled = (Array.isArray(setups) ? setups : []).flatMap((each) => {
    const { enabled: isEnabled, types } = objectOf(each);
    return isEnabled === true && Array.isArray(types) ? types : [];
  });
  const off = all.filter((type) => !enabled.includes(type));
  return {
    clusterLogging: [
      ...(enabled.length > 0 ? [{ types: enabled, enabled: true }] : []),
      ...(off.length > 0 ? [{ types: off, enabled: false }] : []),
    ],
  };
}

function checkSupport(cluster: JsonObject, { supportType }: JsonObject): void {
  if (
    supportType === "STANDARD" &&
    listUsualVersions([textOf(cluster["version"])])[0]?.["versionStatus"] !== "STANDARD_SUPPORT"
  ) {
    throw new EksError("InvalidParameterException", `Standard support has ended for version ${textOf(cluster["version"])}`);
  }
}

function checkScaling({ minSize, desiredSize, maxSize }: JsonObject): void {
  if (Number(minSize) > Number(desiredSize) || Number(desiredSize) > Number(maxSize)) {
    throw new EksError("InvalidParameterException", "minSize <= desiredSize <= maxSize must hold");
  }
}

/** Applies the input of UpdateClusterConfig. EKS accepts only one kind of change per call. */
function changeCluster(cluster: JsonObject, change: JsonObject): void {
  const kinds = Object.keys(change);
  if (kinds.length !== 1)
    throw new EksError("InvalidParameterException", `Only one type of update can be allowed: ${kinds.join(", ")}`);
  const [kind = ""] = kinds;
  if (kind === "logging") {
    cluster["logging"] = changeLogging(objectOf(cluster["logging"]), objectOf(change["logging"]));
    return;
  }
  if (kind === "upgradePolicy") checkSupport(cluster, objectOf(change["upgradePolicy"]));
  const before = JSON.stringify(cluster[kind]);
  const value = change[kind] ?? null;
  cluster[kind] = typeof value === "object" ? { ...objectOf(cluster[kind]), ...objectOf(value) } : value;
  if (kind === "resourcesVpcConfig" && JSON.stringify(cluster[kind]) === before) {
    throw new EksError("InvalidParameterException", "Cluster is already at the desired configuration");
  }
}

function changeLogging(before: JsonObject, change: JsonObject): JsonObject {
  const read = (logging: JsonObject, isEnabled: boolean): Json[] =>
    (logging["clusterLogging"] as Json[]).flatMap((each) =>
      objectOf(each)["enabled"] === isEnabled ? (objectOf(each)["types"] as Json[]) : [],
    );
  const off = read(change, false);
  const enabled = [...new Set([...read(before, true), ...read(change, true)])].filter((type) => !off.includes(type));
  return readLogging({ clusterLogging: [{ types: enabled, enabled: true }] });
}

/** Applies the input of UpdateNodegroupConfig. */
function changeGroup(group: JsonObject, call: JsonObject): void {
  if (call["scalingConfig"] !== undefined) {
    const scaling = { ...objectOf(group["scalingConfig"]), ...objectOf(call["scalingConfig"]) };
    checkScaling(scaling);
    group["scalingConfig"] = scaling;
  }
  if (call["updateConfig"] !== undefined) group["updateConfig"] = call["updateConfig"];
  if (call["labels"] !== undefined) {
    const { addOrUpdateLabels, removeLabels } = objectOf(call["labels"]);
    const labels: JsonObject = { ...objectOf(group["labels"]), ...objectOf(addOrUpdateLabels) };
    for (const key of Array.isArray(removeLabels) ? removeLabels : []) delete labels[textOf(key)];
    group["labels"] = labels;
  }
  if (call["taints"] !== undefined) {
    const { addOrUpdateTaints, removeTaints } = objectOf(call["taints"]);
    const keyOf = (taint: Json): string => `${textOf(objectOf(taint)["key"])} ${textOf(objectOf(taint)["effect"])}`;
    const gone = new Set([removeTaints, addOrUpdateTaints].flatMap((each) => (Array.isArray(each) ? each.map(keyOf) : [])));
    const kept = (Array.isArray(group["taints"]) ? group["taints"] : []).filter((taint) => !gone.has(keyOf(taint)));
    group["taints"] = [...kept, ...(Array.isArray(addOrUpdateTaints) ? addOrUpdateTaints : [])];
  }
}
