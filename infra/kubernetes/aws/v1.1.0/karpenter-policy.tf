locals {
  ec2         = "arn:${local.partition}:ec2:${var.region}"
  owned_key   = "kubernetes.io/cluster/${local.name}"
  profiles    = "arn:${local.partition}:iam::${local.account}:instance-profile/*"
  cluster_arn = "arn:${local.partition}:eks:${var.region}:${local.account}:cluster/${local.name}"
}

# The permissions that Karpenter 1.14 documents. Karpenter can create, change and delete only resources with the cluster's tags.
data "aws_iam_policy_document" "karpenter" {
  for_each = local.made_for_karpenter
  statement {
    sid     = "UseWhatIsThere"
    actions = ["ec2:RunInstances", "ec2:CreateFleet"]
    resources = [
      "${local.ec2}::image/*", "${local.ec2}::snapshot/*", "${local.ec2}:*:security-group/*", "${local.ec2}:*:subnet/*",
      "${local.ec2}:*:capacity-reservation/*", "${local.ec2}:*:placement-group/*",
    ]
  }
  statement {
    sid       = "UseOwnTemplates"
    actions   = ["ec2:RunInstances", "ec2:CreateFleet"]
    resources = ["${local.ec2}:*:launch-template/*"]
    condition {
      test     = "StringEquals"
      variable = "aws:ResourceTag/${local.owned_key}"
      values   = ["owned"]
    }
    condition {
      test     = "StringLike"
      variable = "aws:ResourceTag/karpenter.sh/nodepool"
      values   = ["*"]
    }
  }
  statement {
    sid     = "MakeTagged"
    actions = ["ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate"]
    resources = [
      "${local.ec2}:*:fleet/*", "${local.ec2}:*:instance/*", "${local.ec2}:*:volume/*", "${local.ec2}:*:network-interface/*",
      "${local.ec2}:*:launch-template/*", "${local.ec2}:*:spot-instances-request/*",
    ]
    condition {
      test     = "StringEquals"
      variable = "aws:RequestTag/${local.owned_key}"
      values   = ["owned"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:RequestTag/eks:eks-cluster-name"
      values   = [local.name]
    }
    condition {
      test     = "StringLike"
      variable = "aws:RequestTag/karpenter.sh/nodepool"
      values   = ["*"]
    }
  }
  statement {
    sid     = "TagNew"
    actions = ["ec2:CreateTags"]
    resources = [
      "${local.ec2}:*:fleet/*", "${local.ec2}:*:instance/*", "${local.ec2}:*:volume/*", "${local.ec2}:*:network-interface/*",
      "${local.ec2}:*:launch-template/*", "${local.ec2}:*:spot-instances-request/*",
    ]
    condition {
      test     = "StringEquals"
      variable = "aws:RequestTag/${local.owned_key}"
      values   = ["owned"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:RequestTag/eks:eks-cluster-name"
      values   = [local.name]
    }
    condition {
      test     = "StringEquals"
      variable = "ec2:CreateAction"
      values   = ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]
    }
    condition {
      test     = "StringLike"
      variable = "aws:RequestTag/karpenter.sh/nodepool"
      values   = ["*"]
    }
  }
  statement {
    sid       = "TagOwn"
    actions   = ["ec2:CreateTags"]
    resources = ["${local.ec2}:*:instance/*"]
    condition {
      test     = "StringEquals"
      variable = "aws:ResourceTag/${local.owned_key}"
      values   = ["owned"]
    }
    condition {
      test     = "StringLike"
      variable = "aws:ResourceTag/karpenter.sh/nodepool"
      values   = ["*"]
    }
    condition {
      test     = "StringEqualsIfExists"
      variable = "aws:RequestTag/eks:eks-cluster-name"
      values   = [local.name]
    }
    condition {
      test     = "ForAllValues:StringEquals"
      variable = "aws:TagKeys"
      values   = ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]
    }
  }
  statement {
    sid       = "RemoveOwn"
    actions   = ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"]
    resources = ["${local.ec2}:*:instance/*", "${local.ec2}:*:launch-template/*"]
    condition {
      test     = "StringEquals"
      variable = "aws:ResourceTag/${local.owned_key}"
      values   = ["owned"]
    }
    condition {
      test     = "StringLike"
      variable = "aws:ResourceTag/karpenter.sh/nodepool"
      values   = ["*"]
    }
  }
  statement {
    sid = "LookInTheRegion"
    actions = [
      "ec2:DescribeCapacityReservations", "ec2:DescribeImages", "ec2:DescribeInstances", "ec2:DescribeInstanceStatus",
      "ec2:DescribeInstanceTypeOfferings", "ec2:DescribeInstanceTypes", "ec2:DescribeLaunchTemplates",
      "ec2:DescribePlacementGroups", "ec2:DescribeSecurityGroups", "ec2:DescribeSpotPriceHistory", "ec2:DescribeSubnets",
    ]
    resources = ["*"]
    condition {
      test     = "StringEquals"
      variable = "aws:RequestedRegion"
      values   = [var.region]
    }
  }
  statement {
    sid       = "Images"
    actions   = ["ssm:GetParameter"]
    resources = ["arn:${local.partition}:ssm:${var.region}::parameter/aws/service/*"]
  }
  statement {
    sid       = "Prices"
    actions   = ["pricing:GetProducts"]
    resources = ["*"]
  }
  statement {
    sid       = "Interruptions"
    actions   = ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"]
    resources = [local.queue_arn]
  }
  statement {
    sid       = "GiveNodesTheirRole"
    actions   = ["iam:PassRole"]
    resources = [local.karpenter_passed_arn]
    condition {
      test     = "StringEquals"
      variable = "iam:PassedToService"
      values   = ["ec2.${data.aws_partition.this.dns_suffix}"]
    }
  }
  # Restricted by tags, because a role that can tag any instance profile can also take it over.
  dynamic "statement" {
    for_each = { CreateInstanceProfile = ["RequestTag"], TagInstanceProfile = ["RequestTag", "ResourceTag"] }
    content {
      sid       = statement.key
      actions   = ["iam:${statement.key}"]
      resources = [local.profiles]
      dynamic "condition" {
        for_each = statement.value
        content {
          test     = "StringEquals"
          variable = "aws:${condition.value}/${local.owned_key}"
          values   = ["owned"]
        }
      }
      condition {
        test     = "StringEquals"
        variable = "aws:RequestTag/eks:eks-cluster-name"
        values   = [local.name]
      }
      dynamic "condition" {
        for_each = statement.value
        content {
          test     = "StringEquals"
          variable = "aws:${condition.value}/topology.kubernetes.io/region"
          values   = [var.region]
        }
      }
      dynamic "condition" {
        for_each = statement.value
        content {
          test     = "StringLike"
          variable = "aws:${condition.value}/karpenter.k8s.aws/ec2nodeclass"
          values   = ["*"]
        }
      }
    }
  }
  statement {
    sid       = "ChangeOwnProfiles"
    actions   = ["iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"]
    resources = [local.profiles]
    condition {
      test     = "StringEquals"
      variable = "aws:ResourceTag/${local.owned_key}"
      values   = ["owned"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:ResourceTag/topology.kubernetes.io/region"
      values   = [var.region]
    }
    condition {
      test     = "StringLike"
      variable = "aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass"
      values   = ["*"]
    }
  }
  statement {
    sid       = "LookAtProfiles"
    actions   = ["iam:GetInstanceProfile"]
    resources = [local.profiles]
  }
  statement {
    sid       = "ListProfiles"
    actions   = ["iam:ListInstanceProfiles"]
    resources = ["*"]
  }
  statement {
    sid       = "FindTheCluster"
    actions   = ["eks:DescribeCluster"]
    resources = [local.cluster_arn]
  }
  statement {
    sid       = "ZonalShift"
    actions   = ["arc-zonal-shift:GetManagedResource"]
    resources = ["*"]
    condition {
      test     = "StringEquals"
      variable = "arc-zonal-shift:ResourceIdentifier"
      values   = [local.cluster_arn]
    }
  }
}
