import { findTool, Secret, systemClock, type Clock } from "@cloudwright/platform";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hostsFaults } from "../faults.ts";
import { openRedfish, type RedfishSystem, type RedfishTarget } from "./open-redfish.ts";
import { startStandInRedfish, type StandInRedfish } from "./testing/stand-in-redfish.ts";

const openssl = findTool("openssl");
if (openssl === undefined) console.log("skipped: Redfish, because openssl is not installed");

const { signal } = new AbortController();

describe.skipIf(openssl === undefined)("M198 a management controller", () => {
  let standIn: StandInRedfish;
  let clock: Clock;
  beforeEach(async () => {
    standIn = await startStandInRedfish(openssl ?? "");
    let offsetMs = 0;
    // Waiting moves the clock instead of taking time.
    clock = { ...systemClock, now: () => offsetMs, sleep: async (ms) => void (offsetMs += ms) };
  });
  afterEach(() => standIn.close());

  const open = (part: Partial<RedfishTarget> = {}): Promise<RedfishSystem> => {
    const { address, user, password, fingerprint } = standIn;
    return openRedfish(
      { address, user, password: new Secret(password), trust: { fingerprint }, timeoutMs: 2000, ...part },
      signal,
      clock,
    );
  };
  const refusal = async (part: Partial<RedfishTarget>): Promise<unknown> => open(part).catch((error: unknown) => error);

  test("is used with a session, which ends when it is closed", async () => {
    const system = await open();
    expect([await system.getPower(), standIn.countSessions()]).toEqual(["on", 1]);
    await system.close();
    expect(standIn.countSessions()).toBe(0);
    expect(standIn.headers.join()).not.toContain("Basic ");
  });

  test("is used with basic authentication if it has no sessions", async () => {
    standIn.behaviour.hasSessions = false;
    const system = await open();
    expect(await system.getPower()).toBe("on");
    await system.close();
  });

  test("switches a system off by asking first, and by force if nothing happens", async () => {
    const system = await open();
    await system.powerOff();
    await system.powerOff();
    expect([standIn.resets, await system.getPower()]).toEqual([["GracefulShutdown"], "off"]);
    await system.powerOn();
    standIn.behaviour.shutsDown = false;
    await system.powerOff({ patienceMs: 5000 });
    expect([standIn.resets.slice(1), standIn.power]).toEqual([["On", "GracefulShutdown", "ForceOff"], "Off"]);
    await system.close();
  });

  test("restarts a system with what the controller offers", async () => {
    standIn.behaviour.hasActionInfo = true;
    standIn.behaviour.resetTypes = ["ForceRestart", "ForceOff"];
    const system = await open();
    expect(await system.listResetTypes()).toEqual(["ForceRestart", "ForceOff"]);
    await system.restart();
    expect(standIn.resets).toEqual(["ForceRestart"]);
    standIn.power = "Off";
    await expect(system.powerOn()).rejects.toMatchObject({ code: hostsFaults.bmc_unsupported.code });
    await system.close();
  });

  test("makes only the next start boot from the network", async () => {
    const system = await open();
    await system.bootFromNetworkOnce();
    expect(standIn.boot).toEqual({ BootSourceOverrideEnabled: "Once", BootSourceOverrideTarget: "Pxe" });
    await system.close();
  });

  test("with several systems needs the id of one", async () => {
    standIn.behaviour.systems = ["blade-1", "blade-2"];
    await expect(open()).rejects.toMatchObject({
      code: hostsFaults.bmc_unsupported.code,
      message: expect.stringContaining("blade-2") as string,
    });
    await expect(open({ system: "blade-3" })).rejects.toMatchObject({ code: hostsFaults.bmc_unsupported.code });
    const system = await open({ system: "blade-2" });
    await system.restart();
    expect(standIn.requests.at(-1)).toContain("/blade-2/");
    await system.close();
  });

  test("M007 gets no credentials unless its certificate is the pinned one or signed by a given authority", async () => {
    const wrong = { fingerprint: "0".repeat(64) };
    expect(await refusal({ trust: wrong })).toMatchObject({ code: hostsFaults.bmc_untrusted.code });
    expect(await refusal({ trust: {} })).toMatchObject({ code: hostsFaults.bmc_untrusted.code });
    expect(standIn.requests).toEqual([]);
    await (await open({ trust: { ca: standIn.certificate } })).close();
    expect(standIn.requests).not.toEqual([]);
  });

  test("X063 a wrong password is reported without the password", async () => {
    const error = await refusal({ password: new Secret("hunter2-hunter2") });
    expect(error).toMatchObject({ code: hostsFaults.bmc_denied.code });
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain("hunter2");
  });

  test("that is silent, unreachable or answers nonsense is reported", async () => {
    const { behaviour } = standIn;
    behaviour.answer = () => ({ status: 200, text: "<html>" });
    expect(await refusal({})).toMatchObject({ code: hostsFaults.bmc_failed.code });
    behaviour.answer = () => ({ status: 503, text: JSON.stringify({ error: { message: "busy\n" } }) });
    expect(await refusal({})).toMatchObject({
      code: hostsFaults.bmc_failed.code,
      message: expect.stringContaining("503: busy") as string,
    });
    behaviour.answer = () => ({ status: 201, text: " ".repeat(1024 * 1024 + 1) });
    expect(await refusal({})).toMatchObject({ code: hostsFaults.bmc_failed.code });
    behaviour.answer = undefined;
    behaviour.systems = ["../../../elsewhere@evil"];
    await (await open()).close();
    behaviour.answer = (request) =>
      request.url?.endsWith("/Systems") === true
        ? { status: 200, text: JSON.stringify({ Members: [{ "@odata.id": "//evil.example/1" }] }) }
        : undefined;
    const system = await open();
    await expect(system.getPower()).rejects.toMatchObject({ code: hostsFaults.bmc_failed.code });
    await system.close();
    behaviour.isSilent = true;
    expect(await refusal({ timeoutMs: 200 })).toMatchObject({ code: hostsFaults.bmc_unreachable.code });
    expect(await refusal({ address: "https://127.0.0.1:1" })).toMatchObject({ code: hostsFaults.bmc_unreachable.code });
  });
});
