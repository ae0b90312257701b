"""What tests share: data, checks, other people's algorithms, and patience."""
