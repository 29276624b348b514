import type { JsonObject } from "@cloudwright/platform";
import { once } from "node:events";
import { createServer, request as send, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createEksService, type EksService } from "./eks-service.ts";

/** A proxy in front of moto. */
export interface AwsProxy {
  readonly address: string;
  readonly eks: EksService;
  /** Parameters of the EC2 API calls that the proxy received, including the action, oldest first. */
  readonly ec2Calls: readonly URLSearchParams[];
  /** Discards all data that the proxy stores itself. Does not reset moto. */
  reset(): void;
  close(): void;
}

interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** A request with its complete body. `region` and `service` come from its signature. */
interface Request {
  readonly method: string;
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  readonly region: string;
  readonly service: string;
}

/** Data that the proxy stores because moto loses it. */
interface MotoMemory {
  /** Replication rules exactly as the client sent them, keyed by bucket path. */
  readonly replications: Map<string, Buffer>;
  /** Route tables added to a VPC endpoint after its creation, keyed by endpoint id. */
  readonly lateTables: Map<string, readonly string[]>;
  /** Subnets, keyed by the id of the association with their IPv6 range. */
  readonly rangedSubnets: Map<string, string>;
}

/**
 * Starts a proxy that answers requests for EKS itself and forwards all others to moto. It corrects these deviations: moto ignores tags in
 * requests that create a bucket and loses the filters of replication rules. moto returns a launch template's tags as its instances' tags. If
 * a request names a volume's key by an alias, moto returns the alias instead of the key. moto cannot delete a gateway endpoint to which
 * route tables were added. moto also returns the state of a subnet's IPv6 range as the printed form of a Python object, and cannot find a
 * subnet by the association with its range.
 */
export async function startProxy(port: number): Promise<AwsProxy> {
  const eks = createEksService((region, name) => createLogGroup(port, region, name));
  if (eks === undefined) throw new Error("AWS's API model of EKS is not on this machine");
  const ec2Calls: URLSearchParams[] = [];
  const memory: MotoMemory = { replications: new Map(), lateTables: new Map(), rangedSubnets: new Map() };
  const server = createServer((incoming, response) => {
    void readRequest(incoming)
      .then((request) => {
        if (request.service === "eks") return answerEks(eks, request);
        if (request.service === "ec2") ec2Calls.push(new URLSearchParams(request.body.toString()));
        return answerByMoto(port, request, memory);
      })
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
      .catch((error: unknown) => response.writeHead(502).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    eks,
    ec2Calls,
    reset() {
      eks.reset();
      memory.replications.clear();
      memory.lateTables.clear();
      memory.rangedSubnets.clear();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { authorization = "" } = incoming.headers;
  const [, region = "", service = ""] = /Credential=[^/]+\/[^/]+\/([^/]+)\/([^/]+)\//.exec(authorization) ?? [];
  const url = new URL(incoming.url ?? "/", "http://moto");
  return { method: incoming.method ?? "GET", url, headers: incoming.headers, body: Buffer.concat(chunks), region, service };
}

async function answerEks(eks: EksService, { method, url, body, region }: Request): Promise<Answer> {
  const input = (body.length === 0 ? {} : JSON.parse(body.toString())) as JsonObject;
  const path = url.pathname;
  const { status, body: output } = await eks.answer({ method, path, query: url.searchParams, region, body: input });
  const type = typeof output["__type"] === "string" ? { "x-amzn-errortype": output["__type"] } : {};
  return { status, headers: { "content-type": "application/json", ...type }, body: Buffer.from(JSON.stringify(output)) };
}

async function answerByMoto(port: number, request: Request, memory: MotoMemory): Promise<Answer> {
  if (request.service === "ec2") return correctEc2(port, request, memory);
  const answer = await forward(port, request);
  if (request.url.searchParams.has("replication")) return correctReplication(request, answer, memory);
  const tags = /<Tags>(.*)<\/Tags>/s.exec(
    request.service === "s3" && request.method === "PUT" ? request.body.toString() : "",
  )?.[1];
  if (tags !== undefined && answer.status === 200) {
    const url = new URL(`${request.url.pathname}?tagging`, request.url);
    await forward(port, replaceBody({ ...request, url }, `<Tagging><TagSet>${tags}</TagSet></Tagging>`));
  }
  return answer;
}

/** Stores a bucket's replication rules on PUT and returns them unchanged on GET, because moto loses their filters. */
function correctReplication({ method, url, body }: Request, answer: Answer, { replications }: MotoMemory): Answer {
  const kept = replications.get(url.pathname);
  if (method === "GET" && answer.status === 200 && kept !== undefined) {
    return { ...answer, body: kept, headers: { ...answer.headers, "content-length": kept.length } };
  }
  if (method === "PUT" && answer.status === 200) replications.set(url.pathname, body);
  return answer;
}

async function correctEc2(port: number, request: Request, { lateTables, rangedSubnets }: MotoMemory): Promise<Answer> {
  const parameters = new URLSearchParams(request.body.toString());
  const key = parameters.get("KmsKeyId") ?? "";
  if (key.includes(":alias/"))
    parameters.set("KmsKeyId", key.replace(/:alias\/.*$/, ":key/0f5b7a52-0000-4000-8000-000000000001"));
  const endpoint = parameters.get("VpcEndpointId") ?? parameters.get("VpcEndpointId.1") ?? "";
  const added = [...parameters].flatMap(([name, value]) => (name.startsWith("AddRouteTableId.") ? [value] : []));
  if (added.length > 0) lateTables.set(endpoint, [...(lateTables.get(endpoint) ?? []), ...added]);
  const late = parameters.get("Action") === "DeleteVpcEndpoints" ? (lateTables.get(endpoint) ?? []) : [];
  if (late.length > 0) {
    const tables = late.map((table, index) => [`RemoveRouteTableId.${index + 1}`, table]);
    const change = { Action: "ModifyVpcEndpoint", Version: "2016-11-15", VpcEndpointId: endpoint, ...Object.fromEntries(tables) };
    await forward(port, replaceBody(request, new URLSearchParams(change).toString()));
  }
  if (parameters.get("Action") === "DescribeSubnets") findByRange(parameters, rangedSubnets);
  const answer = await forward(port, replaceBody(request, parameters.toString()));
  const text = answer.body.toString();
  const association = /<associationId>(subnet-cidr-assoc-\w+)</.exec(text)?.[1];
  const subnet = /<subnetId>([\w-]+)</.exec(text)?.[1];
  if (givesRange.has(parameters.get("Action") ?? "") && association !== undefined) rangedSubnets.set(association, subnet ?? "");
  const [pattern, replacement] = garbled[parameters.get("Action") ?? ""] ?? [];
  if (pattern === undefined || replacement === undefined) return answer;
  const body = Buffer.from(text.replaceAll(pattern, replacement));
  return { ...answer, body, headers: { ...answer.headers, "content-length": body.length } };
}

/** Actions whose response contains a subnet and the association with its IPv6 range. */
const givesRange: ReadonlySet<string> = new Set(["CreateSubnet", "AssociateSubnetCidrBlock"]);

/** Replaces a filter by the association with an IPv6 range, which moto does not support, with a filter by subnet. */
function findByRange(parameters: URLSearchParams, rangedSubnets: MotoMemory["rangedSubnets"]): void {
  const name = [...parameters.keys()].find((each) => parameters.get(each) === "ipv6-cidr-block-association.association-id");
  if (name === undefined) return;
  const valueName = name.replace(/Name$/, "Value.1");
  parameters.set(name, "subnet-id");
  parameters.set(valueName, rangedSubnets.get(parameters.get(valueName) ?? "") ?? "none");
}

// The proxy replaces the printed form of a Python object with the state that it contains.
const rangeState = [/(?<=<state>)\{[^<]*\bassociated\b[^<]*\}(?=<\/state>)/g, "associated"] as const;
/** Parts of moto's EC2 responses that must be replaced, keyed by action. */
const garbled: Readonly<Record<string, readonly [pattern: RegExp, replacement: string]>> = {
  AssociateSubnetCidrBlock: rangeState,
  CreateSubnet: rangeState,
  DescribeSubnets: rangeState,
  DescribeLaunchTemplateVersions: [/<item>\s*<resourceType>launch-template<\/resourceType>.*?<\/tagSet>\s*<\/item>/gs, ""],
};

function replaceBody(request: Request, text: string): Request {
  const body = Buffer.from(text);
  const { "content-md5": _md5, "x-amz-content-sha256": _sha, "content-encoding": _encoding, ...headers } = request.headers;
  return { ...request, body, headers: { ...headers, "content-length": body.length } };
}

function forward(
  port: number,
  { method, url, headers, body }: Pick<Request, "method" | "url" | "headers" | "body">,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const path = url.pathname + url.search;
    const asked = send({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const { "transfer-encoding": _encoding, ...kept } = answer.headers;
        resolve({ status: answer.statusCode ?? 502, headers: kept, body: Buffer.concat(chunks) });
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** Creates a log group in moto if it does not exist. */
async function createLogGroup(port: number, region: string, name: string): Promise<void> {
  const authorization = `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/logs/aws4_request, SignedHeaders=host, Signature=0`;
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: { authorization, "content-type": "application/x-amz-json-1.1", "x-amz-target": "Logs_20140328.CreateLogGroup" },
    body: JSON.stringify({ logGroupName: name }),
  });
  const text = await response.text();
  if (!response.ok && !text.includes("ResourceAlreadyExists")) throw new Error(text);
}
