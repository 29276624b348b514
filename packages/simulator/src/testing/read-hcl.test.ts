import { expect, test } from "vitest";
import { readHcl } from "./read-hcl.ts";

test("blocks, attributes and nested blocks are distinguished from expressions", () => {
  const [block, ...others] = readHcl(`
# resource "none" "none" {
resource "aws_vpc" "this" {
  for_each = { for key, value in var.all : key => { name = value } }
  name     = "a-\${lookup(var.all, "}")}-{"
  policy = jsonencode({
    Statement = [{
      Effect = "Allow"
    }]
  })
  dynamic "route" {
    for_each = var.routes
    content {
      cidr = route.value
    }
  }
}
`);
  expect(others).toEqual([]);
  expect(block).toMatchObject({ type: "resource", labels: ["aws_vpc", "this"] });
  expect(Object.keys(block?.attributes ?? {})).toEqual(["for_each", "name", "policy"]);
  expect(block?.blocks).toMatchObject([
    { type: "dynamic", labels: ["route"], attributes: { for_each: "var.routes" }, blocks: [{ type: "content" }] },
  ]);
});
