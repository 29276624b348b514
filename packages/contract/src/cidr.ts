export * from "@cloudwright/platform/cidr";
