import { objectOf, textOf, type Json, type JsonObject } from "@cloudwright/platform";
import { readApiModel, type ApiModel } from "./api-model.ts";
import { createEksCluster, EksError, listUsualVersions, usualAddonVersion, type EksCluster } from "./eks-cluster.ts";

/** Creates the log group of a cluster if it does not exist. EKS does the same when logging is enabled. */
export type CreateLogGroup = (region: string, name: string) => Promise<void>;

/** Amazon EKS in memory. moto does not implement add-ons, access entries, pod identities or upgrades. */
export interface EksService {
  /** Answers a request. Adds it to `calls`, and any violations of AWS's API model to `violations`. */
  answer(request: EksRequest): Promise<{ readonly status: number; readonly body: JsonObject }>;
  listClusters(): readonly string[];
  /** Deletes all clusters and recorded violations. */
  reset(): void;
  /** Descriptions of all violations of AWS's API model in requests and responses. */
  readonly violations: readonly string[];
  /** Operations that were called, with their inputs, oldest first. */
  readonly calls: readonly { readonly operation: string; readonly input: JsonObject }[];
}

/** A request to EKS. `region` comes from its signature. */
export interface EksRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly region: string;
  readonly body: JsonObject;
}

type Handler = (input: JsonObject, region: string) => JsonObject | Promise<JsonObject>;

/** Creates the service. Returns undefined if AWS's API model is not available on this machine. */
export function createEksService(createLogGroup: CreateLogGroup): EksService | undefined {
  const model = readApiModel("eks");
  return model === undefined ? undefined : startService(model, createLogGroup);
}

function startService(model: ApiModel, createLogGroup: CreateLogGroup): EksService {
  const clusters = new Map<string, EksCluster>();
  const violations: string[] = [];
  const calls: { operation: string; input: JsonObject }[] = [];
  const keyOf = (region: string, name: Json | undefined): string => `${region}/${textOf(name)}`;

  function getCluster(input: JsonObject, region: string): EksCluster {
    const name = input["clusterName"] ?? input["name"];
    const cluster = clusters.get(keyOf(region, name));
    if (cluster === undefined) throw new EksError("ResourceNotFoundException", `No cluster found for name: ${textOf(name)}.`);
    return cluster;
  }

  function findTags(input: JsonObject): JsonObject {
    for (const cluster of clusters.values()) {
      const tags = cluster.findTags(textOf(input["resourceArn"]));
      if (tags !== undefined) return tags;
    }
    throw new EksError("NotFoundException", `Resource was not found: ${textOf(input["resourceArn"])}`);
  }

  async function ensureLogGroup(cluster: EksCluster, region: string): Promise<void> {
    if (cluster.hasLogs()) await createLogGroup(region, `/aws/eks/${cluster.name}/cluster`);
  }

  const own: Readonly<Record<string, Handler>> = {
    async CreateCluster(input, region) {
      const key = keyOf(region, input["name"]);
      if (clusters.has(key))
        throw new EksError("ResourceInUseException", `Cluster already exists with name: ${textOf(input["name"])}`);
      const cluster = createEksCluster(input, region);
      clusters.set(key, cluster);
      await ensureLogGroup(cluster, region);
      return { cluster: cluster.describe() };
    },
    async UpdateClusterConfig(input, region) {
      const cluster = getCluster(input, region);
      const update = cluster.call("UpdateClusterConfig", input);
      await ensureLogGroup(cluster, region);
      return update;
    },
    DeleteCluster(input, region) {
      const cluster = getCluster(input, region);
      cluster.checkRemoval();
      clusters.delete(keyOf(region, cluster.name));
      return { cluster: { ...cluster.describe(), status: "DELETING" } };
    },
    DescribeAddonVersions: ({ addonName, kubernetesVersion }) => ({
      addons: [{ addonName: addonName ?? "vpc-cni", addonVersions: [usualAddonVersion(textOf(kubernetesVersion))] }],
    }),
    DescribeClusterVersions: ({ clusterVersions }) => ({
      clusterVersions: listUsualVersions(Array.isArray(clusterVersions) ? clusterVersions.map(String) : []),
    }),
    ListTagsForResource: (input) => ({ tags: findTags(input) }),
    TagResource: (input) => (Object.assign(findTags(input), objectOf(input["tags"])), {}),
    UntagResource(input) {
      const tags = findTags(input);
      for (const key of Array.isArray(input["tagKeys"]) ? input["tagKeys"] : []) delete tags[textOf(key)];
      return {};
    },
  };

  return {
    listClusters: () => [...clusters.keys()],
    reset() {
      clusters.clear();
      violations.length = 0;
    },
    violations,
    calls,
    async answer({ method, path, query, region, body }) {
      const call = model.match(method, path, query, body);
      if (call === undefined) {
        violations.push(`EKS has no operation ${method} ${path}`);
        return refuse(new EksError("InvalidRequestException", `no operation ${method} ${path}`));
      }
      calls.push({ operation: call.operation, input: call.input });
      const wrong = model.listWrongInput(call);
      violations.push(...wrong);
      if (wrong.length > 0) return refuse(new EksError("InvalidParameterException", wrong.join("; ")));
      try {
        const handler = own[call.operation] ?? ((input, at) => getCluster(input, at).call(call.operation, input));
        const output = await handler(call.input, region);
        violations.push(...model.listWrongOutput(call.operation, output));
        return { status: 200, body: output };
      } catch (error) {
        if (error instanceof EksError) return refuse(error);
        throw error;
      }
    },
  };
}

function refuse(error: EksError): { status: number; body: JsonObject } {
  return { status: error.status, body: { __type: error.type, message: error.message } };
}
