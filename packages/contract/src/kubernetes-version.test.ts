import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { expect, test } from "vitest";
import { compareKubernetesVersions, nextKubernetesVersion, findKubeletSkew, isMinorUpgrade } from "./kubernetes-version.ts";

test.each([
  ["1.31", "1.34", "1.32"],
  ["v1.31.9", "1.33.1", "1.32"],
  ["1.33", "1.34", undefined],
  ["1.34", "1.34.2", undefined],
  ["1.34", "1.31", undefined],
  ["", "1.34", undefined],
  ["1.34", "", undefined],
])("M161 an upgrade from %s to %s goes through %s", (running, wanted, next) => {
  expect(nextKubernetesVersion(running, wanted)).toBe(next);
});

test.each([
  ["1.34", "1.9", 1],
  ["v1.34.1", "1.34", 0],
  ["1.34.1", "1.34.2", -1],
  ["", "1.34", 0],
])("M161 %s and %s are compared as versions, up to the precision of both", (first, second, sign) => {
  expect(Math.sign(compareKubernetesVersions(first, second))).toBe(sign);
});

test.each([
  ["1.35", "v1.35.1", "supported"],
  ["1.35", "v1.32.0", "supported"],
  ["1.35", "v1.31.9", "too-old"],
  ["1.28", "v1.25.4-eks-abc", "supported"],
  ["1.28", "v1.24.17", "too-old"],
  ["1.27", "v1.25.0", "supported"],
  ["1.27", "v1.24.0", "too-old"],
  ["1.34", "v1.35.0", "too-new"],
  ["2.0", "v1.35.0", "too-old"],
  ["1.34", "", "unknown"],
  ["", "v1.34.0", "unknown"],
])("X040 a control plane with %s and a kubelet with %s: %s", (controlPlane, kubelet, expected) => {
  expect(findKubeletSkew(controlPlane, kubelet)).toBe(expected);
});

test("X040 for random versions, a supported node is never newer than the control plane and at most three minor versions older", () => {
  const seed = chooseSeed();
  const { below: next } = createRandom(seed);
  for (let round = 0; round < 2000; round += 1) {
    const [server, node] = [next(60), next(60)];
    const text = `seed ${seed}: 1.${server}.${next(20)} and v1.${node}.${next(20)}+build`;
    const skew = findKubeletSkew(`1.${server}`, `v1.${node}.${next(20)}+build`);
    const older = server - node;
    expect([text, skew === "too-new"]).toEqual([text, older < 0]);
    expect([text, skew === "supported"]).toEqual([text, older >= 0 && older <= (server >= 28 ? 3 : 2)]);
    // A node that is too old for one control plane version is also too old for the next, except where the rule changes.
    const isStillOld = findKubeletSkew(`1.${server + 1}`, `1.${node}`) === "too-old";
    expect([text, skew !== "too-old" || server === 27 || isStillOld]).toEqual([text, true]);
    expect([text, isMinorUpgrade(`1.${node}.3`, `1.${server}`)]).toEqual([text, older > 0]);
  }
});
