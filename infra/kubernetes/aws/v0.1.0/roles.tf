locals {
  cluster_role_arn = var.roles.cluster == null ? one([for role in aws_iam_role.cluster : role.arn]) : var.roles.cluster
  node_role_arn    = var.roles.nodes == null ? one([for role in aws_iam_role.nodes : role.arn]) : var.roles.nodes
  made_for_cluster = toset(var.roles.cluster == null ? ["made"] : [])
  made_for_nodes   = toset(var.roles.nodes == null ? ["made"] : [])
  node_policies    = var.roles.nodes == null ? toset(["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryReadOnly", "AmazonSSMManagedInstanceCore"]) : toset([])
}

data "aws_iam_policy_document" "trust" {
  for_each = toset(["eks", "ec2"])
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["${each.key}.${each.key == "ec2" ? data.aws_partition.this.dns_suffix : "amazonaws.com"}"]
    }
  }
}

resource "aws_iam_role" "cluster" {
  for_each           = local.made_for_cluster
  name               = "${local.name}-cluster"
  assume_role_policy = data.aws_iam_policy_document.trust["eks"].json
  tags               = merge(local.tags, { "cloudwright:part" = "cluster/${each.key}" })
}

resource "aws_iam_role_policy_attachment" "cluster" {
  for_each   = local.made_for_cluster
  role       = aws_iam_role.cluster[each.key].name
  policy_arn = "${local.policy}/AmazonEKSClusterPolicy"
}

resource "aws_iam_role" "nodes" {
  for_each           = local.made_for_nodes
  name               = "${local.name}-nodes"
  assume_role_policy = data.aws_iam_policy_document.trust["ec2"].json
  tags               = merge(local.tags, { "cloudwright:part" = "nodes/${each.key}" })
}

resource "aws_iam_role_policy_attachment" "nodes" {
  for_each   = local.node_policies
  role       = aws_iam_role.nodes["made"].name
  policy_arn = "${local.policy}/${each.key}"
}
