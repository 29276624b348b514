import { expect, test } from "vitest";
import { listCloudNames } from "./list-cloud-names.ts";

const find = (source: string): string[] => listCloudNames("file.tsx", source).map(({ line, word }) => `${line} ${word}`);

test("a cloud is found in identifiers, texts, templates, patterns and comments", () => {
  expect(find("const awsRegion = 1;\nconst GcpPlace = 2;\nconst useEKS = 3;")).toEqual(["1 aws", "2 gcp", "3 eks"]);
  expect(find('const a = "aws_vpc";\nconst b = `an ${a} in Azure`;\nconst c = /^google_/;')).toEqual([
    "1 aws",
    "2 azure",
    "3 google",
  ]);
  expect(find("// IAM roles\n/** Of EC2.\n * And S3. */\nexport {};")).toEqual(["1 iam", "2 ec2", "3 s3"]);
  expect(find("const view = <p>Runs in AKS</p>;")).toEqual(["1 aks"]);
});

test("the letters of a cloud inside another word are not its name", () => {
  expect(find('const breaks = "seeks flaws, William draws S30 ms3";')).toEqual([]);
});

test("protobuf's package and public names of the product are not clouds", () => {
  expect(find('const a = "google.protobuf.Struct";\nconst b = "iam-policy";\nconst c = "google-chrome";')).toEqual([]);
});
