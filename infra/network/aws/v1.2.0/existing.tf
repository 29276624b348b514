# An existing network is only read, never changed.
locals {
  given = toset(concat(var.public_subnet_ids, var.private_subnet_ids, var.controlplane_subnet_ids))
}

data "aws_vpc" "given" {
  for_each = toset(var.vpc_id == null ? [] : ["network"])
  id       = var.vpc_id
}

data "aws_subnets" "given" {
  for_each = toset(length(local.given) == 0 ? [] : ["network"])
  filter {
    name   = "vpc-id"
    values = [var.vpc_id]
  }
  filter {
    name   = "subnet-id"
    values = local.given
  }
  lifecycle {
    postcondition {
      condition     = toset(self.ids) == local.given
      error_message = "Subnets not found in ${coalesce(var.vpc_id, "any network")}: ${join(", ", setsubtract(local.given, self.ids))}."
    }
  }
}
