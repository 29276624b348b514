import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { findIamAnswer } from "./fake-iam.ts";

type Body = Record<string, unknown>;

/** A request as the server received it. */
export interface EksRequest {
  readonly method: string;
  /** Path for EKS, such as `/clusters/a`, and `iam:CreateRole` for IAM and EC2. */
  readonly path: string;
  readonly body: Body;
  readonly headers: IncomingMessage["headers"];
}

/** A fault in the handling of one request. `lose` processes the request and drops the response. */
export type EksFault =
  | "reset"
  | "lose"
  | "truncate"
  | "hang"
  | { readonly status: number; readonly code: string; readonly message?: string };

/** A fake of EKS, IAM roles and EC2's machine types over HTTP that can inject faults. It does not check signatures. */
export interface FakeEks {
  readonly address: string;
  readonly requests: readonly EksRequest[];
  readonly clusters: Map<string, Body>;
  readonly groups: Map<string, Body>;
  readonly roles: Map<string, Body>;
  /** Number of reads until a change is complete. Default: 1. */
  settleReads: number;
  /** Called for each request. If it returns undefined, the server sends its normal response. */
  fault: ((request: EksRequest) => EksFault | undefined) | undefined;
  /** Available versions, newest last. */
  versions: string[];
  /** Errors with which the next update fails. */
  updateErrors: { errorCode: string; errorMessage: string }[];
  /** Offset of the server's clock. */
  skewMs: number;
  close(): Promise<void>;
}

const account = "123456789012";

export async function startFakeEks(region = "us-east-1"): Promise<FakeEks> {
  const requests: EksRequest[] = [];
  const fake = {
    clusters: new Map<string, Body>(),
    groups: new Map<string, Body>(),
    roles: new Map<string, Body>(),
    settleReads: 1,
    fault: undefined as FakeEks["fault"],
    versions: ["1.28", "1.29", "1.30", "1.31"],
    updateErrors: [] as FakeEks["updateErrors"],
    skewMs: 0,
  };
  const server = createServer((message, response) => {
    let text = "";
    message.on("data", (chunk: Buffer) => (text += chunk.toString()));
    message.on("end", () => {
      const request = readRequest(message, text);
      requests.push(request);
      const fault = fake.fault?.(request);
      response.setHeader("date", new Date(Date.now() + fake.skewMs).toUTCString());
      response.setHeader("x-amzn-requestid", randomUUID());
      if (fault === "hang") return;
      if (fault === "reset") return void response.destroy();
      if (typeof fault === "object") return fail(request, response, fault);
      const answer = request.path.startsWith("ec2:")
        ? answerEc2(region, request)
        : request.path.startsWith("iam:")
          ? findIamAnswer(fake.roles, request)
          : answerEks(fake, region, request);
      if (fault === "lose") return void response.destroy();
      if (typeof answer["code"] === "string" && "status" in answer)
        return fail(request, response, answer as { status: number; code: string });
      const out = typeof answer.xml === "string" ? answer.xml : JSON.stringify(answer);
      response.setHeader("content-type", typeof answer.xml === "string" ? "text/xml" : "application/json");
      return void response.end(fault === "truncate" ? out.slice(0, out.length - 5) : out);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(fake, {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  });
}

function readRequest({ method = "", url = "", headers }: IncomingMessage, text: string): EksRequest {
  const [path = ""] = url.split("?");
  if (!text.startsWith("Action="))
    return { method, path: decodeURIComponent(path), body: (text === "" ? {} : JSON.parse(text)) as Body, headers };
  const body = Object.fromEntries(new URLSearchParams(text));
  const service = /\/(?<service>\w+)\/aws4_request/.exec(headers.authorization ?? "")?.groups?.["service"] ?? "iam";
  return { method, path: `${service}:${body["Action"]}`, body, headers };
}

function fail(
  { path }: EksRequest,
  response: ServerResponse,
  { status, code, message = "refused by the test" }: { status: number; code: string; message?: string },
): void {
  response.statusCode = status;
  if (/^\w+:/.test(path)) {
    response.setHeader("content-type", "text/xml");
    const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
    response.end(`<ErrorResponse>${error}<RequestId>${randomUUID()}</RequestId></ErrorResponse>`);
    return;
  }
  response.setHeader("x-amzn-errortype", code);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ message }));
}

/** Offers every machine type that looks like one. All subnets are in the region's first zone. */
function answerEc2(region: string, { path, body }: EksRequest): Answer {
  const action = path.slice("ec2:".length);
  const { "Filter.1.Value.1": type = "" } = body as Readonly<Record<string, string>>;
  const offers = /^[a-z]\w*\d\w*\./.test(type) ? `<item><instanceType>${type}</instanceType></item>` : "";
  const ids = Object.entries(body).flatMap(([key, id]) => (key.startsWith("SubnetId.") ? [String(id)] : []));
  const subnets = ids.map((id) => `<item><subnetId>${id}</subnetId><availabilityZone>${region}a</availabilityZone></item>`);
  const content =
    action === "DescribeSubnets"
      ? `<subnetSet>${subnets.join("")}</subnetSet>`
      : `<instanceTypeOfferingSet>${offers}</instanceTypeOfferingSet>`;
  return { xml: `<${action}Response>${content}</${action}Response>` };
}

type State = Pick<FakeEks, "clusters" | "groups" | "settleReads" | "versions" | "updateErrors">;
type Answer = Body & { readonly xml?: string };

const missing = { status: 404, code: "ResourceNotFoundException" };
const inUse = { status: 409, code: "ResourceInUseException" };

/** Pending changes: what to merge into a resource, and after how many reads. */
const pending = new WeakMap<Body, { reads: number; change: Body }>();

function settle(fake: State, resource: Body, status: string, change: Body): void {
  resource["status"] = status;
  pending.set(resource, { reads: fake.settleReads, change });
}

function read(resource: Body | undefined): Body | undefined {
  if (resource === undefined) return undefined;
  const next = pending.get(resource);
  if (next !== undefined && next.reads-- <= 0) {
    Object.assign(resource, next.change);
    pending.delete(resource);
  }
  return resource["status"] === "GONE" ? undefined : resource;
}

function answerEks(fake: State, region: string, { method, path, body }: EksRequest): Answer {
  const [kind = "", name = "", sub = "", item = "", action = ""] = path.slice(1).split("/");
  const arn = `arn:aws:eks:${region}:${account}`;
  if (kind === "cluster-versions")
    return {
      clusterVersions: fake.versions.map((clusterVersion, index) => ({
        clusterVersion,
        defaultVersion: index === fake.versions.length - 1,
        versionStatus: index === 0 ? "EXTENDED_SUPPORT" : "STANDARD_SUPPORT",
      })),
    };
  if (kind === "tags") return tag(fake, method, decodeURIComponent(path.slice("/tags/".length)), body);
  if (kind !== "clusters") return missing;
  if (name === "") {
    if (method === "GET") return { clusters: [...fake.clusters.keys()] };
    return createCluster(fake, arn, body);
  }
  const cluster = read(fake.clusters.get(name));
  if (cluster === undefined) {
    fake.clusters.delete(name);
    return missing;
  }
  if (sub === "updates" && item === "") return update(fake, cluster, body);
  if (sub === "updates") return { update: { id: item, ...describeUpdate(fake, cluster) } };
  if (sub === "node-groups") return answerGroups(fake, arn, cluster, { method, body, group: item, action });
  if (method === "DELETE") {
    if ([...fake.groups.keys()].some((key) => key.startsWith(`${name}/`))) return inUse;
    if (cluster["status"] === "CREATING") return inUse;
    settle(fake, cluster, "DELETING", { status: "GONE" });
  }
  return { cluster };
}

function createCluster(fake: State, arn: string, body: Body): Answer {
  const name = String(body["name"]);
  if (fake.clusters.has(name)) return inUse;
  const cluster: Body = {
    ...body,
    arn: `${arn}:cluster/${name}`,
    version: body["version"] ?? fake.versions.at(-1),
    createdAt: 1_700_000_000,
  };
  fake.clusters.set(name, cluster);
  const certificateAuthority = { data: Buffer.from("certificate").toString("base64") };
  settle(fake, cluster, "CREATING", { status: "ACTIVE", endpoint: `https://${name}.example`, certificateAuthority });
  return { cluster };
}

function update(fake: State, resource: Body, body: Body): Answer {
  if (resource["status"] !== "ACTIVE") return inUse;
  const isFailing = fake.updateErrors.length > 0;
  settle(fake, resource, "UPDATING", {
    status: "ACTIVE",
    ...(isFailing ? {} : { version: body["version"] ?? resource["version"] }),
  });
  return { update: { id: "update-1", status: "InProgress" } };
}

function describeUpdate(fake: State, resource: Body): Body {
  if (resource["status"] === "UPDATING") return { status: "InProgress" };
  return fake.updateErrors.length > 0 ? { status: "Failed", errors: fake.updateErrors } : { status: "Successful" };
}

interface GroupRequest {
  readonly method: string;
  readonly body: Body;
  readonly group: string;
  readonly action: string;
}

function answerGroups(fake: State, arn: string, cluster: Body, { method, body, group, action }: GroupRequest): Answer {
  const prefix = `${String(cluster["name"])}/`;
  if (group === "" && method === "GET")
    return { nodegroups: [...fake.groups.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)) };
  if (group === "") {
    const name = String(body["nodegroupName"]);
    if (cluster["status"] !== "ACTIVE") return { status: 400, code: "InvalidRequestException" };
    if (fake.groups.has(prefix + name)) return inUse;
    const nodegroupArn = `${arn}:nodegroup/${prefix}${name}/${randomUUID()}`;
    const made: Body = { version: cluster["version"], ...body, clusterName: cluster["name"], nodegroupArn };
    fake.groups.set(prefix + name, made);
    settle(fake, made, "CREATING", { status: "ACTIVE" });
    return { nodegroup: made };
  }
  const found = read(fake.groups.get(prefix + group));
  if (found === undefined) {
    fake.groups.delete(prefix + group);
    return missing;
  }
  if (action === "update-version") return update(fake, found, body);
  if (action === "update-config") return configure(fake, found, body);
  if (method === "DELETE") settle(fake, found, "DELETING", { status: "GONE" });
  return { nodegroup: found };
}

function configure(fake: State, group: Body, { scalingConfig, labels }: Body): Answer {
  if (group["status"] !== "ACTIVE") return inUse;
  const { addOrUpdateLabels = {}, removeLabels = [] } = (labels ?? {}) as { addOrUpdateLabels?: Body; removeLabels?: string[] };
  const kept = Object.entries((group["labels"] ?? {}) as Body).filter(([key]) => !removeLabels.includes(key));
  const change = {
    labels: { ...Object.fromEntries(kept), ...addOrUpdateLabels },
    ...(scalingConfig === undefined ? {} : { scalingConfig }),
  };
  Object.assign(group, change);
  settle(fake, group, "UPDATING", { status: "ACTIVE" });
  return { update: { id: "update-2", status: "InProgress" } };
}

function tag({ clusters, groups }: State, method: string, arn: string, { tags }: Body): Answer {
  const found = [...clusters.values(), ...groups.values()].find((each) => each["arn"] === arn || each["nodegroupArn"] === arn);
  if (found === undefined) return missing;
  if (method === "POST") found["tags"] = { ...(found["tags"] as Body), ...(tags as Body) };
  return {};
}
