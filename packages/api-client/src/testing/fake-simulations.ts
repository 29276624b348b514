import type {
  SimulatedCloudJson,
  SimulatedFaultJson,
  SimulatedRecordJson,
} from "@cloudwright/contract/gen/cloudwright/v1/simulator_pb.ts";
import { json, problem } from "./wire.ts";

/** A simulated cloud, as stored by the fake server. */
export interface FakeSimulation {
  records: SimulatedRecordJson[];
  faults: SimulatedFaultJson[];
  conditions: NonNullable<SimulatedCloudJson["conditions"]>;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

const mark = { simulated: true } as const;

/** Handles requests for simulated clouds. Returns undefined for other paths. */
export function answerSimulations(
  simulations: ReadonlyMap<string, FakeSimulation>,
  { path, query, body }: Asked,
): Response | undefined {
  const match = /^(\/v1\/projects\/[^/]+\/accounts\/([^/]+))\/simulation(?:\/(\w+))?$/.exec(path);
  if (match === null) return undefined;
  const [, at = "", account = "", what = ""] = match;
  const cloud = simulations.get(at);
  if (cloud === undefined) return problem(409, "api.not_simulated", `Account "${account}" is not simulated`);
  const asked = (body ?? Object.fromEntries(query)) as { type?: string; id?: string; uid?: string; attributes?: object };
  const isAsked = ({ type, id }: SimulatedRecordJson): boolean => type === asked.type && id === asked.id;
  const found = cloud.records.find(isAsked);
  const missing = problem(404, "api.not_found", `SimulatedRecord "${asked.type}/${asked.id}" not found`);
  const cloudNow = (): Response => {
    const records = Object.fromEntries(cloud.records.map(({ type = "" }) => [type, 1]));
    return json(200, { account, ...mark, conditions: cloud.conditions, records, faults: cloud.faults.length });
  };
  switch (what) {
    case "records": {
      const items = cloud.records.filter(({ type }) => asked.type === undefined || type === asked.type);
      return json(200, { items, nextPageToken: "", ...mark });
    }
    case "record":
      return found === undefined ? missing : json(200, found);
    case "drift":
      if (found === undefined) return missing;
      found.attributes = { ...found.attributes, ...asked.attributes };
      return json(200, found);
    case "remove":
      cloud.records = cloud.records.filter((record) => !isAsked(record));
      return found === undefined ? missing : json(200, found);
    case "faults":
      return json(200, { items: cloud.faults, nextPageToken: "", ...mark });
    case "fail":
      cloud.faults.push({ nth: 1, times: 1, ...asked, uid: `f-${cloud.faults.length + 1}`, state: "PLANNED", ...mark });
      return json(200, cloud.faults.at(-1));
    case "clear":
      cloud.faults = cloud.faults.filter(({ uid }) => asked.uid !== "" && uid !== asked.uid);
      return cloudNow();
    case "adjust":
      cloud.conditions = { ...cloud.conditions, ...asked };
      return cloudNow();
    case "credentials":
      return json(200, {
        environment: { CLOUD_KEY: "it's a key", CLOUD_ENDPOINT: "http://127.0.0.1:8483" },
        address: "https://127.0.0.1:8483",
        caPem: "-----BEGIN CERTIFICATE-----\n",
        ...mark,
      });
    case "reset":
      Object.assign(cloud, { records: [], faults: [], conditions: {} });
      return cloudNow();
    default:
      return cloudNow();
  }
}
