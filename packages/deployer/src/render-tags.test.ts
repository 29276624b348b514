import { expect, test } from "vitest";
import { renderTags } from "./render-tags.ts";

const render = (labels: Record<string, string>) => renderTags("aws", { name: "dev", labels });

test("X082 labels become tags, except for reserved keys, which other programs use to identify their resources", () => {
  const kept = { team: "a", "example.com/cost-centre": "42", Name: "mine", "notkubernetes.io/x": "1", empty: "" };
  const reserved = {
    "kubernetes.io/cluster": "owned",
    "elbv2.k8s.aws/cluster": "other",
    "ebs.csi.aws.k8s.io/cluster": "true",
    "karpenter.sh/discovery": "x",
    "eks.amazonaws.com/nodegroup": "x",
    "cloudwright.dev/owner": "x",
    KubernetesCluster: "x",
    name: "collides with Name",
  };
  expect(render({ ...kept, ...reserved })).toEqual(kept);
});

test("X082 labels can never set an ownership tag, regardless of their keys", () => {
  const seed = Date.now() % 1_000_000;
  let state = seed;
  const next = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  const words = ["cloudwright", "aws", "entity", "part", "project", "kubernetes.io", "Cloudwright"];
  for (let round = 0; round < 500; round += 1) {
    const key = Array.from({ length: 1 + next(4) }, () => words[next(words.length)]).join([":", "/", "."][next(3)]);
    const tags = render({ [key]: "evil" });
    expect(
      Object.keys(tags).filter((tag) => /^(cloudwright|aws):/i.test(tag)),
      `seed ${seed}, key ${key}`,
    ).toEqual([]);
  }
});

test("X082 labels that the cloud cannot store are rejected, and the message says how many it allows", () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, "x"]));
  expect(Object.keys(render(many(40)))).toHaveLength(40);
  expect(() => render(many(41))).toThrow(expect.objectContaining({ code: "deployer.bad_spec" }));
  expect(() => render({ Team: "a", team: "b" })).toThrow(expect.objectContaining({ code: "deployer.bad_spec" }));
});
