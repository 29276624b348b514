import { fromJsonString } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { OperationSchema } from "../gen/cloudwright/v1/operation_pb.ts";
import { renderNewOperation } from "./new-operation.ts";

describe("M010 a new operation", () => {
  test("is JSON that the contract can parse, for any actor name", () => {
    const subject = { kind: "Cluster", uid: "u-1", name: "blue", project: "default", environment: "prod", generation: 3 };
    const uid = "01a1de6a-6ad2-781c-bd03-c077451fa66a";
    const text = renderNewOperation({
      uid,
      verb: "update",
      at: "2026-01-01T00:00:00.000Z",
      resourceVersion: "7",
      actor: 'a "quoted" \\ name',
      force: true,
      message: "accepted",
      subject,
    });
    expect(fromJsonString(OperationSchema, text)).toMatchObject({
      metadata: { name: "op-c077451fa66a", uid, environment: "prod", resourceVersion: "7" },
      spec: { verb: "update", entityKind: "Cluster", entityGeneration: 3, actor: 'a "quoted" \\ name', force: true },
      status: { state: "WAITING", message: "accepted" },
    });
  });
});
