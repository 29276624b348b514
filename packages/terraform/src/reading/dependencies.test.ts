import { expect, test } from "vitest";
import { dropKeys, readDependencies } from "./dependencies.ts";
import { readReferences } from "./read-references.ts";

const refers = (...references: string[]) => ({ references });
const resource = (address: string, rest: object = {}) => ({ address, ...rest });
const read = (shown: object, locals: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    readDependencies(shown as never, (path) => readReferences([["main.tf", locals[path] ?? ""]])).map(({ address, needs }) => [
      address,
      needs,
    ]),
  );

test("M077 X015 dependencies are read from arguments, nested and dynamic blocks, repetition, depends_on and locals", () => {
  const resources = [
    resource("aws_vpc.this"),
    resource("aws_subnet.a", { expressions: { vpc_id: refers('aws_vpc.this["x"].id', 'aws_vpc.this["x"]', "aws_vpc.this") } }),
    resource("aws_nat.b", { expressions: { block: [{ inner: [{ id: refers("local.subnets", "each.key") }] }] } }),
    resource("aws_role.c", { for_each_expression: refers("data.aws_zones.all.names", "data.aws_zones.all") }),
    resource("aws_role.d", { count_expression: refers("local.deep"), depends_on: ["aws_role.c"] }),
    resource("aws_eip.e"),
    resource("data.aws_zones.all", { mode: "data" }),
  ];
  const locals = `
    # local.deep = aws_role.d
    locals {
      subnets = { for key, subnet in aws_subnet.a : key => "\${subnet.id}-\${upper(local.deep)} aws_role.c" }
      deep = <<-EOT
        aws_role.d and \${
          aws_vpc.this["\${local.odd}"].id
        } and "quoted
      EOT
      odd = [ # aws_role.c
        "aws_role.d", "$\${aws_role.c.id}",
      ]
    }
    resource "aws_role" "c" {
      dynamic "route" {
        for_each = toset(["aws_role.d"])
        content { id = aws_eip.e[route.value].id }
      }
    }
    data "aws_zones" "all" {}`;
  expect(read({ configuration: { root_module: { resources } } }, { "": locals })).toEqual({
    "aws_vpc.this": [],
    "aws_subnet.a": ["aws_vpc.this"],
    "aws_nat.b": ["aws_subnet.a", "aws_vpc.this"],
    "aws_role.c": ["aws_eip.e", "data.aws_zones.all"],
    "aws_role.d": ["aws_role.c", "aws_vpc.this"],
    "aws_eip.e": [],
    "data.aws_zones.all": [],
  });
});

test("M077 dependencies follow variables, outputs and locals of modules, and whole modules", () => {
  const pool = {
    resources: [
      resource("aws_pool.p", { expressions: { subnet: refers("var.subnet"), name: refers("local.name") } }),
      resource("aws_pool.q"),
    ],
    outputs: { id: { expression: refers("aws_pool.p.id", "aws_pool.p") } },
  };
  const root = {
    resources: [
      resource("aws_vpc.a"),
      resource("aws_key.k"),
      resource("aws_dns.one", { expressions: { id: refers('module.pool["x"].id', 'module.pool["x"]', "module.pool") } }),
      resource("aws_dns.all", { depends_on: ["module.pool"] }),
    ],
    module_calls: {
      pool: {
        expressions: { subnet: refers("aws_vpc.a.id", "aws_vpc.a") },
        for_each_expression: refers("aws_key.k"),
        module: pool,
      },
    },
  };
  const locals = { pool: 'locals { name = "n-${aws_pool.q.id}" }' };
  expect(read({ configuration: { root_module: root } }, locals)).toEqual({
    "aws_vpc.a": [],
    "aws_key.k": [],
    "aws_dns.one": ["module.pool.aws_pool.p"],
    "aws_dns.all": ["module.pool.aws_pool.p", "module.pool.aws_pool.q"],
    "module.pool.aws_pool.p": ["aws_key.k", "aws_vpc.a", "module.pool.aws_pool.q"],
    "module.pool.aws_pool.q": ["aws_key.k"],
  });
});

test("M077 a resource that exists only in the state keeps the dependencies in the state, and resources depend on their provider's settings", () => {
  const shown = {
    configuration: {
      provider_config: { helm: { expressions: { host: refers("aws_eks.this.endpoint", "aws_eks.this") } } },
      root_module: { resources: [resource("aws_eks.this"), resource("helm_release.x", { provider_config_key: "helm" })] },
    },
    prior_state: {
      values: {
        root_module: {
          resources: [resource('aws_old.a["k"]', { depends_on: ["aws_eks.this", "aws_gone.b"] })],
          child_modules: [{ resources: [resource("module.m[0].aws_old.c", { depends_on: ["aws_old.a"] })] }],
        },
      },
    },
  };
  expect(read(shown)).toEqual({
    "aws_eks.this": [],
    "helm_release.x": ["aws_eks.this"],
    "aws_old.a": ["aws_eks.this"],
    "module.m.aws_old.c": ["aws_old.a"],
  });
});

test("M077 templates in JSON configurations are read, and circular references do not cause infinite recursion", () => {
  const json = JSON.stringify({
    locals: [{ a: { b: ["${aws_vpc.x.id}", "aws_vpc.y"] } }, { c: "${local.c}" }],
    resource: { aws_vpc: { z: { dynamic: { tag: { content: { id: "${local.a}" } } } } } },
    data: [{ aws_ami: [{ q: { name: "${aws_vpc.z.id}" } }] }],
  });
  expect([...readReferences([["main.tf.json", json]])]).toEqual([
    ["local.a", ["aws_vpc.x.id"]],
    ["local.c", ["local.c"]],
    ["aws_vpc.z", ["local.a"]],
    ["data.aws_ami.q", ["aws_vpc.z.id"]],
  ]);
  const resources = [resource("aws_vpc.x", { expressions: { a: refers("local.c") } })];
  expect(read({ configuration: { root_module: { resources } } }, { "": "locals {\n c = local.c\n}" })).toEqual({
    "aws_vpc.x": [],
  });
  expect(read({})).toEqual({});
});

test("M077 instance keys are removed, regardless of their content", () => {
  expect(dropKeys('module.a["x.y"].aws_b.c[0]')).toBe("module.a.aws_b.c");
  expect(dropKeys('aws_b.c["a\\"]b"]')).toBe("aws_b.c");
});
