# One resource of each type that the AWS simulator supports.
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

provider "aws" {
  region = "eu-west-1"
  default_tags {
    tags = { suite = "everything" }
  }
}

data "aws_caller_identity" "me" {}
data "aws_partition" "this" {}
data "aws_region" "this" {}
data "aws_availability_zones" "this" { state = "available" }
data "aws_eks_cluster_versions" "this" { default_only = true }
data "aws_ssm_parameter" "image" { name = "/aws/service/bottlerocket/aws-k8s-1.34/x86_64/latest/image_id" }

data "aws_eks_addon_version" "proxy" {
  addon_name         = "kube-proxy"
  kubernetes_version = aws_eks_cluster.a.version
}

data "aws_eks_cluster_auth" "a" { name = aws_eks_cluster.a.name }

data "aws_iam_policy_document" "trust" {
  for_each = toset(["eks", "ec2", "pods.eks", "vpc-flow-logs"])
  statement {
    actions = ["sts:AssumeRole", "sts:TagSession"]
    principals {
      type        = "Service"
      identifiers = ["${each.key}.amazonaws.com"]
    }
  }
}

resource "aws_vpc" "a" {
  cidr_block           = "10.0.0.0/16"
  enable_dns_hostnames = true
}

resource "aws_vpc_ipv4_cidr_block_association" "a" {
  vpc_id     = aws_vpc.a.id
  cidr_block = "10.1.0.0/16"
}

resource "aws_subnet" "a" {
  count             = 2
  vpc_id            = aws_vpc.a.id
  cidr_block        = cidrsubnet(aws_vpc.a.cidr_block, 8, count.index)
  availability_zone = data.aws_availability_zones.this.names[count.index]
}

resource "aws_subnet" "more" {
  vpc_id     = aws_vpc_ipv4_cidr_block_association.a.vpc_id
  cidr_block = "10.1.0.0/24"
}

resource "aws_internet_gateway" "a" { vpc_id = aws_vpc.a.id }
resource "aws_egress_only_internet_gateway" "a" { vpc_id = aws_vpc.a.id }

resource "aws_eip" "a" {
  domain     = "vpc"
  depends_on = [aws_internet_gateway.a]
}

resource "aws_nat_gateway" "a" {
  allocation_id = aws_eip.a.id
  subnet_id     = aws_subnet.a[0].id
}

resource "aws_route_table" "a" {
  vpc_id = aws_vpc.a.id
  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = aws_internet_gateway.a.id
  }
}

resource "aws_route_table" "b" { vpc_id = aws_vpc.a.id }

resource "aws_route" "b" {
  route_table_id         = aws_route_table.b.id
  destination_cidr_block = "0.0.0.0/0"
  nat_gateway_id         = aws_nat_gateway.a.id
}

resource "aws_route_table_association" "a" {
  subnet_id      = aws_subnet.a[0].id
  route_table_id = aws_route_table.a.id
}

resource "aws_network_acl" "a" {
  vpc_id     = aws_vpc.a.id
  subnet_ids = aws_subnet.a[*].id
  ingress {
    protocol   = "tcp"
    rule_no    = 100
    action     = "allow"
    cidr_block = "0.0.0.0/0"
    from_port  = 443
    to_port    = 443
  }
}

resource "aws_network_acl_rule" "a" {
  network_acl_id = aws_network_acl.a.id
  rule_number    = 200
  egress         = true
  protocol       = "-1"
  rule_action    = "allow"
  cidr_block     = "0.0.0.0/0"
}

resource "aws_default_network_acl" "a" {
  default_network_acl_id = aws_vpc.a.default_network_acl_id
  ingress {
    protocol   = "-1"
    rule_no    = 100
    action     = "allow"
    cidr_block = "0.0.0.0/0"
    from_port  = 0
    to_port    = 0
  }
  lifecycle {
    ignore_changes = [subnet_ids]
  }
}

resource "aws_default_security_group" "a" { vpc_id = aws_vpc.a.id }

resource "aws_security_group" "a" {
  name        = "a"
  description = "of the suite"
  vpc_id      = aws_vpc.a.id
  egress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
    description = "everywhere"
  }
}

resource "aws_security_group" "b" {
  name_prefix = "b-"
  vpc_id      = aws_vpc.a.id
}

resource "aws_security_group_rule" "b" {
  security_group_id = aws_security_group.b.id
  type              = "ingress"
  protocol          = "tcp"
  from_port         = 22
  to_port           = 22
  cidr_blocks       = ["10.0.0.0/8"]
}

resource "aws_vpc_security_group_ingress_rule" "b" {
  security_group_id            = aws_security_group.b.id
  referenced_security_group_id = aws_security_group.a.id
  ip_protocol                  = "tcp"
  from_port                    = 443
  to_port                      = 443
  description                  = "from a"
}

resource "aws_vpc_security_group_egress_rule" "b" {
  security_group_id = aws_security_group.b.id
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "-1"
}

resource "aws_vpc_endpoint" "s3" {
  vpc_id          = aws_vpc.a.id
  service_name    = "com.amazonaws.${data.aws_region.this.region}.s3"
  route_table_ids = [aws_route_table.a.id]
}

resource "aws_vpc_endpoint" "ecr" {
  vpc_id              = aws_vpc.a.id
  service_name        = "com.amazonaws.${data.aws_region.this.region}.ecr.api"
  vpc_endpoint_type   = "Interface"
  subnet_ids          = aws_subnet.a[*].id
  security_group_ids  = [aws_security_group.a.id]
  private_dns_enabled = true
}

resource "aws_vpc_endpoint_route_table_association" "a" {
  vpc_endpoint_id = aws_vpc_endpoint.s3.id
  route_table_id  = aws_route_table.b.id
}

resource "aws_cloudwatch_log_group" "a" {
  name              = "/aws/vpc/a"
  retention_in_days = 7
}

resource "aws_flow_log" "a" {
  vpc_id          = aws_vpc.a.id
  traffic_type    = "ALL"
  iam_role_arn    = aws_iam_role.a["vpc-flow-logs"].arn
  log_destination = aws_cloudwatch_log_group.a.arn
}

resource "aws_iam_role" "a" {
  for_each           = data.aws_iam_policy_document.trust
  name               = "a-${each.key}"
  description        = "of the suite"
  assume_role_policy = each.value.json
}

resource "aws_iam_role_policy" "a" {
  role   = aws_iam_role.a["vpc-flow-logs"].id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "logs:*", Resource = "*" }] })
}

resource "aws_iam_policy" "a" {
  name   = "a"
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "ec2:*", Resource = "*" }] })
}

resource "aws_iam_role_policy_attachment" "a" {
  for_each   = { own = aws_iam_policy.a.arn, aws = "arn:${data.aws_partition.this.partition}:iam::aws:policy/AmazonEKSWorkerNodePolicy" }
  role       = aws_iam_role.a["ec2"].name
  policy_arn = each.value
}

resource "aws_iam_instance_profile" "a" {
  name = "a"
  role = aws_iam_role.a["ec2"].name
}

resource "aws_iam_service_linked_role" "a" { aws_service_name = "spot.amazonaws.com" }

resource "aws_iam_openid_connect_provider" "a" {
  url            = aws_eks_cluster.a.identity[0].oidc[0].issuer
  client_id_list = ["sts.amazonaws.com"]
}

resource "aws_kms_key" "a" {
  description         = "secrets"
  enable_key_rotation = true
}

resource "aws_kms_alias" "a" {
  name          = "alias/a"
  target_key_id = aws_kms_key.a.key_id
}

resource "aws_eks_cluster" "a" {
  name     = "a"
  role_arn = aws_iam_role.a["eks"].arn
  version  = data.aws_eks_cluster_versions.this.cluster_versions[0].cluster_version
  vpc_config {
    subnet_ids         = aws_subnet.a[*].id
    security_group_ids = [aws_security_group.a.id]
  }
  access_config {
    authentication_mode = "API"
  }
  encryption_config {
    resources = ["secrets"]
    provider {
      key_arn = aws_kms_key.a.arn
    }
  }
}

resource "aws_launch_template" "a" {
  name_prefix            = "a-"
  image_id               = data.aws_ssm_parameter.image.insecure_value
  update_default_version = true
  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 2
  }
  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = 20
      volume_type = "gp3"
    }
  }
}

resource "aws_eks_node_group" "a" {
  cluster_name    = aws_eks_cluster.a.name
  node_group_name = "a"
  node_role_arn   = aws_iam_role.a["ec2"].arn
  subnet_ids      = aws_subnet.a[*].id
  instance_types  = ["m7i.large"]
  launch_template {
    id      = aws_launch_template.a.id
    version = aws_launch_template.a.latest_version
  }
  scaling_config {
    min_size     = 0
    desired_size = 1
    max_size     = 2
  }
  taint {
    key    = "a"
    effect = "NO_SCHEDULE"
  }
}

resource "aws_eks_fargate_profile" "a" {
  cluster_name           = aws_eks_cluster.a.name
  fargate_profile_name   = "a"
  pod_execution_role_arn = aws_iam_role.a["ec2"].arn
  subnet_ids             = aws_subnet.a[*].id
  selector { namespace = "a" }
}

resource "aws_eks_addon" "a" {
  for_each                    = { vpc-cni = null, kube-proxy = data.aws_eks_addon_version.proxy.version }
  cluster_name                = aws_eks_cluster.a.name
  addon_name                  = each.key
  addon_version               = each.value
  resolve_conflicts_on_update = "PRESERVE"
}

resource "aws_eks_access_entry" "a" {
  cluster_name      = aws_eks_cluster.a.name
  principal_arn     = aws_iam_role.a["ec2"].arn
  kubernetes_groups = ["viewers"]
}

resource "aws_eks_access_policy_association" "a" {
  cluster_name  = aws_eks_cluster.a.name
  principal_arn = aws_eks_access_entry.a.principal_arn
  policy_arn    = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
  access_scope {
    type       = "namespace"
    namespaces = ["a"]
  }
}

resource "aws_eks_pod_identity_association" "a" {
  cluster_name    = aws_eks_cluster.a.name
  namespace       = "kube-system"
  service_account = "ebs-csi"
  role_arn        = aws_iam_role.a["pods.eks"].arn
}

resource "aws_sqs_queue" "a" {
  name                    = "a"
  sqs_managed_sse_enabled = true
}

resource "aws_sqs_queue_policy" "a" {
  queue_url = aws_sqs_queue.a.id
  policy    = jsonencode({ Version = "2012-10-17", Statement = [] })
}

resource "aws_cloudwatch_event_rule" "a" {
  name          = "a"
  description   = "spot"
  event_pattern = jsonencode({ source = ["aws.ec2"] })
}

resource "aws_cloudwatch_event_target" "a" {
  rule = aws_cloudwatch_event_rule.a.name
  arn  = aws_sqs_queue.a.arn
}

resource "aws_ebs_volume" "a" {
  availability_zone = aws_subnet.a[0].availability_zone
  size              = 10
  type              = "gp3"
}

resource "aws_instance" "a" {
  ami                    = data.aws_ssm_parameter.image.insecure_value
  instance_type          = "t3.micro"
  subnet_id              = aws_subnet.a[0].id
  vpc_security_group_ids = [aws_security_group.a.id]
}

resource "aws_volume_attachment" "a" {
  device_name = "/dev/sdf"
  instance_id = aws_instance.a.id
  volume_id   = aws_ebs_volume.a.id
}

resource "aws_network_interface" "a" {
  subnet_id       = aws_subnet.a[1].id
  security_groups = [aws_security_group.a.id]
}

resource "aws_lb" "a" {
  name               = "a"
  load_balancer_type = "network"
  subnets            = aws_subnet.a[*].id
}

resource "aws_s3_bucket" "a" { bucket = "a-${data.aws_caller_identity.me.account_id}" }
resource "aws_s3_bucket" "b" { bucket_prefix = "b-" }

resource "aws_s3_bucket_versioning" "a" {
  bucket = aws_s3_bucket.a.id
  versioning_configuration { status = "Enabled" }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "a" {
  bucket = aws_s3_bucket.a.id
  rule {
    bucket_key_enabled = true
    apply_server_side_encryption_by_default {
      sse_algorithm     = "aws:kms"
      kms_master_key_id = aws_kms_key.a.arn
    }
  }
}

resource "aws_s3_bucket_public_access_block" "a" {
  bucket              = aws_s3_bucket.a.id
  block_public_policy = true
}

resource "aws_s3_bucket_lifecycle_configuration" "a" {
  bucket = aws_s3_bucket.a.id
  rule {
    id     = "old"
    status = "Enabled"
    filter { prefix = "logs/" }
    transition {
      days          = 30
      storage_class = "GLACIER"
    }
    expiration { days = 90 }
  }
}

resource "aws_s3_bucket_policy" "a" {
  bucket = aws_s3_bucket.a.id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Deny", Principal = "*", Action = "s3:*", Resource = "*" }] })
}

resource "aws_s3_bucket_replication_configuration" "a" {
  bucket = aws_s3_bucket_versioning.a.bucket
  role   = aws_iam_role.a["ec2"].arn
  rule {
    id     = "all"
    status = "Enabled"
    destination { bucket = aws_s3_bucket.b.arn }
  }
}

resource "aws_s3_bucket_ownership_controls" "b" {
  bucket = aws_s3_bucket.b.id
  rule { object_ownership = "ObjectWriter" }
}

resource "aws_s3_bucket_acl" "b" {
  bucket = aws_s3_bucket_ownership_controls.b.bucket
  acl    = "private"
}

resource "aws_s3_bucket_cors_configuration" "b" {
  bucket = aws_s3_bucket.b.id
  cors_rule {
    allowed_methods = ["GET"]
    allowed_origins = ["*"]
  }
}

resource "aws_s3_bucket_logging" "a" {
  bucket        = aws_s3_bucket.a.id
  target_bucket = aws_s3_bucket.b.id
  target_prefix = "log/"
}

resource "aws_s3_bucket_notification" "a" {
  bucket      = aws_s3_bucket.a.id
  eventbridge = true
}

resource "aws_s3_bucket_object_lock_configuration" "a" {
  bucket = aws_s3_bucket.a.id
  rule {
    default_retention {
      mode = "COMPLIANCE"
      days = 5
    }
  }
  depends_on = [aws_s3_bucket_versioning.a]
}

resource "aws_s3_bucket_accelerate_configuration" "a" {
  bucket = aws_s3_bucket.a.id
  status = "Enabled"
}

resource "aws_s3_bucket_request_payment_configuration" "a" {
  bucket = aws_s3_bucket.a.id
  payer  = "Requester"
}

resource "aws_s3_bucket_website_configuration" "b" {
  bucket = aws_s3_bucket.b.id
  index_document { suffix = "index.html" }
}

resource "aws_s3_object" "a" {
  bucket  = aws_s3_bucket.a.id
  key     = "hello"
  content = "hello"
}
