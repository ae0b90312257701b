#pragma once
namespace kpb { struct PairLoops {}; }
