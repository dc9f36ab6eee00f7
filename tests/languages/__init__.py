"""One contract, four languages: every rule is proven with an agent in each of them."""
