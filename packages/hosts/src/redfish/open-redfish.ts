import { Fault, isObject, systemClock, textOf, type Clock, type JsonObject, type Secret } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";
import { describeError, openEndpoint, type RedfishAnswer, type RedfishCall, type RedfishTrust } from "./send-request.ts";

/** A management controller and one of its computer systems. */
export interface RedfishTarget {
  /** Address of the service, such as `https://192.0.2.5`. */
  readonly address: string;
  readonly user: string;
  readonly password: Secret;
  /** Id of the computer system. Default: the only one. */
  readonly system?: string;
  readonly trust?: RedfishTrust;
  /** Limit of a single request. Default: 15 seconds. */
  readonly timeoutMs?: number;
}

export type PowerState = "on" | "off" | "changing" | "unknown";

/** Controls one computer system. */
export interface RedfishSystem {
  getPower(): Promise<PowerState>;
  /** Returns the kinds of reset that the controller offers. Empty if it does not say. */
  listResetTypes(): Promise<readonly string[]>;
  /** Switches the system on, and waits until it is on. */
  powerOn(): Promise<void>;
  /** Asks the operating system to shut down, and switches the system off if that takes too long. */
  powerOff(options?: { readonly patienceMs?: number }): Promise<void>;
  restart(): Promise<void>;
  /** Makes the next start, and only that one, boot from the network. */
  bootFromNetworkOnce(): Promise<void>;
  /** Ends the login. */
  close(): Promise<void>;
}

const root = "/redfish/v1";
const pollMs = 2000;
const switchMs = 120_000;
/** Status codes with which a controller says that it has no sessions. */
const withoutSessions: ReadonlySet<number> = new Set([404, 405, 501]);

/** Logs in to a management controller and finds the computer system. Uses a session, or basic authentication if there are no sessions. */
export async function openRedfish(
  target: RedfishTarget,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<RedfishSystem> {
  const { trust = {}, system = "" } = target;
  const endpoint = openEndpoint({ ...target, trust }, signal);
  const { where } = endpoint;
  try {
    const login = await logIn(endpoint.send, target, where);
    const send = async (call: RedfishCall): Promise<RedfishAnswer> =>
      requireDone(await endpoint.send({ ...call, headers: { ...call.headers, ...login.headers } }), where);
    const path = await findSystem(send, where, system);
    const read = async (): Promise<RedfishAnswer> => send({ method: "GET", path });
    const getPower = async (): Promise<PowerState> => parsePower((await read()).body["PowerState"]);
    const reset = async (choices: readonly string[]): Promise<void> => {
      const { target: to, allowed } = await findReset(send, (await read()).body, where);
      const ResetType = allowed.length === 0 ? choices[0] : choices.find((each) => allowed.includes(each));
      if (ResetType === undefined)
        throw new Fault(
          hostsFaults.bmc_unsupported,
          `${where} offers none of ${choices.join(", ")}; it offers ${allowed.join(", ")}`,
        );
      await send({ method: "POST", path: to, body: { ResetType } });
    };
    const waitFor = async (state: PowerState, patienceMs: number): Promise<boolean> => {
      for (const until = clock.now() + patienceMs; ;) {
        if ((await getPower()) === state) return true;
        if (clock.now() + pollMs > until) return false;
        await clock.sleep(pollMs, signal);
      }
    };
    return {
      getPower,
      listResetTypes: async () => (await findReset(send, (await read()).body, where)).allowed,
      async powerOn() {
        if ((await getPower()) === "on") return;
        await reset(["On", "ForceOn", "PushPowerButton"]);
        if (!(await waitFor("on", switchMs)))
          throw new Fault(hostsFaults.bmc_failed, `${where} did not switch the system on within ${switchMs / 1000} s`);
      },
      async powerOff({ patienceMs = switchMs } = {}) {
        if ((await getPower()) === "off") return;
        const { allowed } = await findReset(send, (await read()).body, where);
        if (allowed.length === 0 || allowed.includes("GracefulShutdown")) {
          await reset(["GracefulShutdown"]);
          if (await waitFor("off", patienceMs)) return;
        }
        await reset(["ForceOff"]);
        if (!(await waitFor("off", switchMs)))
          throw new Fault(hostsFaults.bmc_failed, `${where} did not switch the system off within ${switchMs / 1000} s`);
      },
      restart: () => reset(["GracefulRestart", "ForceRestart", "PowerCycle"]),
      async bootFromNetworkOnce() {
        const { body, headers } = await read();
        const boot = isObject(body["Boot"]) ? body["Boot"] : {};
        const offered = boot["BootSourceOverrideTarget@Redfish.AllowableValues"];
        if (Array.isArray(offered) && !offered.includes("Pxe"))
          throw new Fault(
            hostsFaults.bmc_unsupported,
            `${where} cannot boot from the network; it offers ${textsOf(offered).join(", ")}`,
          );
        const etag = headers["etag"];
        const Boot = { BootSourceOverrideEnabled: "Once", BootSourceOverrideTarget: "Pxe" };
        await send({
          method: "PATCH",
          path,
          body: { Boot },
          ...(typeof etag === "string" ? { headers: { "if-match": etag } } : {}),
        });
      },
      async close() {
        // An open session would end by itself, but controllers allow only a few of them.
        if (login.session !== undefined) await send({ method: "DELETE", path: login.session }).catch(() => undefined);
        endpoint.close();
      },
    };
  } catch (error) {
    endpoint.close();
    throw error;
  }
}

type Send = (call: RedfishCall) => Promise<RedfishAnswer>;

interface Login {
  readonly headers: Readonly<Record<string, string>>;
  /** Path of the session. Undefined with basic authentication. */
  readonly session?: string;
}

async function logIn(send: Send, { user, password }: RedfishTarget, where: string): Promise<Login> {
  const body = { UserName: user, Password: password.reveal() };
  const answer = await send({ method: "POST", path: `${root}/SessionService/Sessions`, body });
  const { "x-auth-token": token, location } = answer.headers;
  if (answer.status === 201 && typeof token === "string") {
    return { headers: { "x-auth-token": token }, ...(typeof location === "string" ? { session: pathOf(location) } : {}) };
  }
  if (withoutSessions.has(answer.status)) {
    return { headers: { authorization: `Basic ${Buffer.from(`${user}:${password.reveal()}`).toString("base64")}` } };
  }
  requireDone(answer, where);
  throw new Fault(hostsFaults.bmc_failed, `${where} created a session without a token`);
}

/** Some controllers return the whole address of a session. Only the path is used, so the token stays with this controller. */
function pathOf(location: string): string {
  return URL.canParse(location) ? new URL(location).pathname : location;
}

/** Throws unless the controller accepted the request. */
function requireDone(answer: RedfishAnswer, where: string): RedfishAnswer {
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  const message = `${where} answered with ${describeError(answer)}`;
  if (status === 401 || status === 403) throw new Fault(hostsFaults.bmc_denied, message);
  throw new Fault(hostsFaults.bmc_failed, message);
}

async function findSystem(send: Send, where: string, system: string): Promise<string> {
  const { body } = await send({ method: "GET", path: `${root}/Systems` });
  const members = Array.isArray(body["Members"]) ? (body["Members"].filter(isObject) as JsonObject[]) : [];
  const paths = members.map((member) => textOf(member["@odata.id"])).filter((path) => path !== "");
  const ids = paths.map((path) => path.replace(/\/$/, "").split("/").at(-1) ?? "");
  const index = system === "" && paths.length === 1 ? 0 : ids.indexOf(system);
  const found = paths[index];
  if (found !== undefined) return found;
  const wanted = system === "" ? "which one to use is not set" : `"${system}" is not one of them`;
  throw new Fault(
    hostsFaults.bmc_unsupported,
    `${where} has the systems ${ids.slice(0, 20).join(", ") || "(none)"}, and ${wanted}`,
  );
}

/** Finds the reset action of a system. Newer controllers list the allowed kinds in a separate document. */
async function findReset(
  send: Send,
  system: JsonObject,
  where: string,
): Promise<{ readonly target: string; readonly allowed: readonly string[] }> {
  const actions = isObject(system["Actions"]) ? system["Actions"] : {};
  const action = actions["#ComputerSystem.Reset"];
  if (!isObject(action)) throw new Fault(hostsFaults.bmc_unsupported, `${where} cannot control the power of the system`);
  const target = textOf(action["target"]);
  const direct = action["ResetType@Redfish.AllowableValues"];
  if (Array.isArray(direct)) return { target, allowed: textsOf(direct) };
  const info = textOf(action["@Redfish.ActionInfo"]);
  if (info === "") return { target, allowed: [] };
  const { body } = await send({ method: "GET", path: info });
  const parameters = Array.isArray(body["Parameters"]) ? (body["Parameters"].filter(isObject) as JsonObject[]) : [];
  return { target, allowed: textsOf(parameters.find((each) => each["Name"] === "ResetType")?.["AllowableValues"]) };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string").slice(0, 50) : [];
}

function parsePower(value: unknown): PowerState {
  if (value === "On") return "on";
  if (value === "Off") return "off";
  return value === "PoweringOn" || value === "PoweringOff" ? "changing" : "unknown";
}
