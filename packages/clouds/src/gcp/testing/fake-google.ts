import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { findDocument, findViolations } from "./api-documents.ts";
import { answerCompute } from "./fake-compute.ts";
import { answerContainer } from "./fake-container.ts";
import { createState, refuse, type Answer, type FakeState } from "./fake-state.ts";
import { findProblem, readRequest, type SeenRequest } from "./google-server.ts";

/**
 * Makes requests fail. `lost` processes a request and cuts the connection before the response. `truncated` cuts it during the response.
 * `reset` cuts it without processing the request.
 */
export interface FakeFault {
  readonly on: string;
  readonly answer: Answer | "lost" | "reset" | "truncated";
  times: number;
}

export interface FakeGoogle {
  readonly state: FakeState;
  readonly faults: FakeFault[];
  /** Chooses a fault for each request. */
  chooseFault: () => FakeFault["answer"] | undefined;
  readonly seen: (SeenRequest & { readonly key: string })[];
  readonly endpoints: { readonly container: string; readonly compute: string };
  /** Tokens that the server accepts. */
  readonly tokens: Set<string>;
  /** Stops the server. Throws if a request did not match the API's description. */
  close(): Promise<void>;
}

export const fakeProject = "my-project";

const documents = { container: findDocument("container"), compute: findDocument("compute") };

/** Schemas of the request bodies, keyed by the last part of the path. */
const bodies: readonly (readonly [RegExp, keyof typeof documents, string])[] = [
  [/^POST container\/.*\/clusters$/, "container", "CreateClusterRequest"],
  [/^POST container\/.*\/nodePools$/, "container", "CreateNodePoolRequest"],
  [/^PUT container\/.*\/nodePools\/[^/]+$/, "container", "UpdateNodePoolRequest"],
  [/:setSize$/, "container", "SetNodePoolSizeRequest"],
  [/:setAutoscaling$/, "container", "SetNodePoolAutoscalingRequest"],
  [/:updateMaster$/, "container", "UpdateMasterRequest"],
  [/^PUT container\/.*\/clusters\/[^/]+$/, "container", "UpdateClusterRequest"],
  [/\/setTags$/, "compute", "Tags"],
  [/\/setMachineType$/, "compute", "InstancesSetMachineTypeRequest"],
  [/:setResourceLabels$/, "container", "SetLabelsRequest"],
  [/^POST compute\/.*\/instances$/, "compute", "Instance"],
  [/\/disks\/[^/]+\/setLabels$/, "compute", "ZoneSetLabelsRequest"],
  [/\/setLabels$/, "compute", "InstancesSetLabelsRequest"],
  [/\/attachDisk$/, "compute", "AttachedDisk"],
  [/^POST compute\/.*\/disks$/, "compute", "Disk"],
  [/\/resize$/, "compute", "DisksResizeRequest"],
  [/^(POST|PUT) compute\/.*\/firewalls(\/[^/]+)?$/, "compute", "Firewall"],
];

/**
 * Starts a server with the state of a project's GKE clusters and instances. It checks each request, including all nested fields of its
 * body, against the API's description.
 */
export async function startFakeGoogle(): Promise<FakeGoogle> {
  const state = createState();
  const faults: FakeFault[] = [];
  const seen: FakeGoogle["seen"] = [];
  const tokens = new Set(["token-1"]);
  const choice: Pick<FakeGoogle, "chooseFault"> = { chooseFault: () => undefined };
  const violations: string[] = [];
  const respond = (asked: SeenRequest, key: string): Answer => {
    const problem = findProblem(asked) ?? findBodyProblem(key, asked.body);
    if (problem !== undefined) violations.push(`${key}: ${problem}`);
    if (problem !== undefined) return refuse(400, "INVALID_ARGUMENT", problem);
    if (!tokens.has(asked.token)) return refuse(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    state.tick += 1;
    for (const operation of state.operations.values()) {
      if (operation.isDone || operation.endsAt > state.tick) continue;
      operation.isDone = true;
      if (operation.error === undefined) operation.finish();
    }
    return asked.path.startsWith("container/") ? answerContainer(state, asked) : answerCompute(state, asked);
  };
  const server = createServer((request, response) => {
    void readRequest(request).then((asked) => {
      const key = `${asked.method} ${asked.path}`;
      seen.push({ ...asked, key });
      const planned = faults.find(({ on, times }) => times > 0 && (key.endsWith(on) || key.startsWith(on)));
      if (planned !== undefined) planned.times -= 1;
      const fault = planned?.answer ?? choice.chooseFault();
      if (fault === "reset") return request.socket.resetAndDestroy();
      const answer = fault === undefined || typeof fault === "string" ? respond(asked, key) : fault;
      if (fault === "lost") return request.socket.resetAndDestroy();
      const { status, body, headers = {} } = answer;
      if (fault === "truncated") {
        response.writeHead(status, { "content-type": "application/json", "content-length": "5000" });
        return response.write("{", () => request.socket.destroy());
      }
      response.writeHead(status, { "content-type": "application/json", ...headers });
      return response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  server.unref().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(choice, {
    state,
    faults,
    seen,
    tokens,
    endpoints: { container: `${address}/container/v1/`, compute: `${address}/compute/v1/` },
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      if (violations.length > 0) throw new Error(`Google Cloud would reject: ${violations.join("; ")}`);
    },
  });
}

function findBodyProblem(key: string, body: unknown): string | undefined {
  const found = bodies.find(([pattern]) => pattern.test(key));
  const document = found === undefined ? undefined : documents[found[1]];
  if (found === undefined || document === undefined) return undefined;
  const [problem] = findViolations(document, found[2], body ?? {});
  return problem;
}
