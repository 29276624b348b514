import type { Method } from "@cloudwright/contract";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { adjustCloud, clearFaults, driftRecord, failCall, removeRecord, resetCloud } from "./change-simulated.ts";
import { issueCredentials } from "./issue-credentials.ts";
import { getCloud, getRecord, listFaults, listRecords } from "./read-simulated.ts";

type Handler = (deps: ApiDeps, call: Call, method: Method, input: never) => Promise<Answer>;

/** Handlers for simulated clouds, keyed by kind and verb. They receive the request message unchanged. */
export const simulatorMethods: Readonly<Record<string, Handler>> = {
  "SimulatedCloud get": getCloud,
  "SimulatedCloud adjust": adjustCloud,
  "SimulatedCloud reset": resetCloud,
  "SimulatedCloud credentials": issueCredentials,
  "SimulatedRecord list": listRecords,
  "SimulatedRecord get": getRecord,
  "SimulatedRecord drift": driftRecord,
  "SimulatedRecord remove": removeRecord,
  "SimulatedFault list": listFaults,
  "SimulatedFault fail": failCall,
  "SimulatedFault clear": clearFaults,
};
