import { createHash, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import type { OpenedState } from "./plain-agent.ts";

/** A client of the state endpoint that behaves like Terraform: it locks, reads, writes and unlocks a state over one connection. */
export interface StateClient {
  runCycle(): Promise<void>;
  close(): void;
}

/** Creates a client for one state. Each cycle writes a state with the next serial number. */
export function createStateClient(server: string, { address, username, password }: OpenedState, bytes: number): StateClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const body = renderResources(bytes);
  let serial = 0;
  const send = (method: string, query: string, content: Buffer | undefined, expected: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization,
        ...(content === undefined ? {} : { "content-type": "application/json", "content-length": content.length }),
        ...(method === "POST" && content !== undefined
          ? { "content-md5": createHash("md5").update(content).digest("base64") }
          : {}),
      };
      const sent = request(new URL(address + query, server), { method, agent, headers }, (answer) => {
        answer.resume();
        answer.on("error", reject);
        answer.on("end", () =>
          answer.statusCode === expected ? resolve() : reject(new Error(`${method} returned status ${answer.statusCode}`)),
        );
      });
      sent.on("error", reject);
      sent.end(content);
    });
  return {
    async runCycle() {
      const id = randomUUID();
      const lock = Buffer.from(JSON.stringify({ ID: id, Operation: "OperationTypeApply", Who: "bench", Version: "1.11.4" }));
      await send("LOCK", "", lock, 200);
      await send("GET", "", undefined, serial === 0 ? 204 : 200);
      serial += 1;
      const state = Buffer.from(`{"version":4,"terraform_version":"1.11.4","serial":${serial},"lineage":"${username}",${body}`);
      await send("POST", `?ID=${id}`, state, 200);
      await send("UNLOCK", "", lock, 200);
    },
    close: () => agent.destroy(),
  };
}

/** Renders resources that compress about as well as real ones: attribute names repeat, while random ids do not compress. */
function renderResources(bytes: number): string {
  const resources: object[] = [];
  for (let size = 0, nth = 0; size < bytes; nth += 1) {
    const id = `subnet-${randomUUID()}`;
    const attributes = {
      id,
      arn: `arn:aws:ec2:eu-west-1:123456789012:subnet/${id}`,
      cidr_block: `10.0.${nth}.0/24`,
      tags: { nth: `${nth}`, etag: randomUUID() },
    };
    const instance = {
      schema_version: 1,
      attributes,
      sensitive_attributes: [],
      private: Buffer.from(randomUUID()).toString("base64"),
    };
    const provider = 'provider["registry.terraform.io/hashicorp/aws"]';
    const resource = { mode: "managed", type: "aws_subnet", name: `subnet_${nth}`, provider, instances: [instance] };
    size += JSON.stringify(resource).length;
    resources.push(resource);
  }
  return `"outputs":{},"resources":${JSON.stringify(resources)}}`;
}
