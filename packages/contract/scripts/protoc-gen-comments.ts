/** A buf plug-in that writes the comments of all proto files into one module. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CodeGeneratorRequestSchema, CodeGeneratorResponse_Feature, CodeGeneratorResponseSchema } from "@bufbuild/protobuf/wkt";
import { buffer } from "node:stream/consumers";
import { printComments } from "./print-comments.ts";

const request = fromBinary(CodeGeneratorRequestSchema, await buffer(process.stdin));
const response = create(CodeGeneratorResponseSchema, {
  supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
  file: [{ name: "comments.ts", content: printComments(request.protoFile) }],
});
process.stdout.write(toBinary(CodeGeneratorResponseSchema, response));
