import { expect, test } from "vitest";
import { renderArguments } from "./name-servers.ts";

const settings = { gateway: "10.0.0.1", names: "/run/names" };

test("the name server listens only on the gateway's address, and forwards only to the given servers", () => {
  const args = renderArguments({ domain: "prod.internal" }, { ...settings, upstream: ["192.0.2.1"] });
  expect(args).toEqual(
    expect.arrayContaining(["--bind-interfaces", "--listen-address=10.0.0.1", "--local=/prod.internal/", "--no-resolv"]),
  );
  expect(args.filter((argument) => argument.startsWith("--server"))).toEqual(["--server=192.0.2.1"]);
});

test("the name server of a network without NAT forwards nothing", () => {
  expect(renderArguments({}, { ...settings, upstream: [] }).join(" ")).not.toMatch(/--(server|local|hostsdir|resolv-file)/);
});
