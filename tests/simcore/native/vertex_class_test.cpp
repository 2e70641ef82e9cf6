// Facts read from sources and from IR text, without a compiler.
#include "simcore/native/assembly.h"
#include "simcore/native/assembly_idioms.h"
#include "simcore/native/vertex_class.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore::native;
using simcore::graph::Codelet;
using simcore::graph::ElementType;
using simcore::graph::FieldDirection;
using simcore::graph::FieldShape;
using simcore::graph::VectorLayout;

namespace {

// class ns::Sum<float, true> : public poplar::MultiVertex, as clang 14 describes it.
constexpr std::string_view kDebugTypes = R"(
!6 = !DINamespace(name: "poplar", scope: null)
!7 = !DIFile(filename: "sum.cpp", directory: "/src")
!10 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!11 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!12 = distinct !DICompositeType(tag: DW_TAG_class_type, name: "MultiVertex", scope: !6, file: !7, line: 1, size: 8, elements: !13)
!13 = !{}
!16 = distinct !DICompositeType(tag: DW_TAG_class_type, name: "Sum<float, true>", scope: !17, file: !7, line: 4, size: 384, elements: !19)
!17 = !DINamespace(name: "ns", scope: null)
!19 = !{!20, !21, !31, !33, !38, !39}
!20 = !DIDerivedType(tag: DW_TAG_inheritance, scope: !16, baseType: !12, flags: DIFlagPublic, extraData: i32 0)
!21 = !DIDerivedType(tag: DW_TAG_member, name: "values", scope: !16, file: !7, line: 5, baseType: !22, size: 128)
!22 = distinct !DICompositeType(tag: DW_TAG_class_type, name: "Input<poplar::Vector<float> >", scope: !6, size: 128, elements: !13, templateParams: !28)
!28 = !{!29}
!29 = !DITemplateTypeParameter(name: "T", type: !30)
!30 = !DICompositeType(tag: DW_TAG_class_type, name: "Vector<float, poplar::VectorLayout::ONE_PTR, 8U, true>", scope: !6, templateParams: !50)
!50 = !{!51, !52, !53, !54}
!51 = !DITemplateTypeParameter(name: "T", type: !10)
!52 = !DITemplateValueParameter(name: "Layout", type: !60, value: i32 3)
!53 = !DITemplateValueParameter(name: "MinAlign", type: !11, value: i32 8)
!54 = !DITemplateValueParameter(name: "Interleaved", type: !61, value: i1 true)
!31 = !DIDerivedType(tag: DW_TAG_member, name: "count", scope: !16, file: !7, line: 6, baseType: !32, size: 32, offset: 128)
!32 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !11)
!33 = !DIDerivedType(tag: DW_TAG_member, name: "table", scope: !16, file: !7, line: 7, baseType: !34, size: 192, offset: 160)
!34 = !DICompositeType(tag: DW_TAG_array_type, baseType: !10, size: 192, elements: !35)
!35 = !{!36, !37}
!36 = !DISubrange(count: 3)
!37 = !DISubrange(count: 2)
!38 = !DIDerivedType(tag: DW_TAG_member, name: "kStep", scope: !16, file: !7, line: 8, baseType: !32, flags: DIFlagStaticMember, extraData: i32 3)
!39 = !DISubprogram(name: "compute", scope: !16, file: !7, line: 9, type: !44)
!44 = !DISubroutineType(types: !45)
!45 = !{!61, !42, !11}
!42 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !16, size: 64)
!60 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "VectorLayout", scope: !6, baseType: !11)
!61 = !DIBasicType(name: "bool", size: 8, encoding: DW_ATE_boolean)
)";

} // namespace

class VertexClassTest : public QObject {
  Q_OBJECT
private slots:
  // A stranger's source may hold a line of any length.
  void longLinesOfAssemblyEnd() {
    const std::string operand(1 << 20, 'a');
    AsmStatement vector;
    vector.mnemonics = {"ld64",       "f32sisoamp", "ld64",       "f32sisoamp", "f32sisoamp", "f32sisoamp",
                        "f32sisoamp", "st64",       "f32sisoamp", "f32sisoamp", "st64"};
    vector.lines.assign(vector.mnemonics.size(), "f32sisoamp " + operand + ", $a0, $azeros, %[TAMP_F32_E4_P9]");
    vector.operands = {{"ptr", "p"}};
    QVERIFY(!meaningOf(vector, ""));
    AsmStatement run;
    run.mnemonics = {"run", "sync"}, run.lines = {"run %[" + operand + "], %[" + operand + "], 0", "sync"};
    run.operands = {{operand, "object"}};
    QVERIFY(startedObject(run) == "object");
  }
  void membersComeWithOffsetsAndLayouts() {
    const auto classes = vertexClasses(DebugTypes(kDebugTypes));
    QCOMPARE(classes.size(), std::size_t(1));
    const VertexClass& sum = classes[0];
    QCOMPARE(sum.name, std::string("ns::Sum<float,true>"));
    QCOMPARE(sum.spelling, std::string("ns::Sum<float, true>"));
    QCOMPARE(sum.kind, Codelet::Kind::Multi);
    QCOMPARE(sum.objectBytes, int64_t(48));
    QVERIFY(sum.takesWorker && sum.returnsValue);
    QCOMPARE(sum.file, std::string("/src/sum.cpp"));
    QCOMPARE(sum.line, 9);
    QCOMPARE(sum.fields.size(), std::size_t(1));
    const auto& field = sum.fields[0];
    QCOMPARE(field.name, std::string("values"));
    QCOMPARE(field.direction, FieldDirection::Input);
    QCOMPARE(field.shape, FieldShape::Vector);
    QCOMPARE(field.layout, VectorLayout::OnePtr);
    QCOMPARE(field.minAlign, 8);
    QVERIFY(field.interleaved);
    QVERIFY(field.type == ElementType::Float);
    QCOMPARE(sum.places[0].offset, int64_t(0));
    QCOMPARE(sum.state.size(), std::size_t(2)); // not the static one
    QCOMPARE(sum.state[0].name, std::string("count"));
    QCOMPARE(sum.state[0].offset, int64_t(16));
    QCOMPARE(sum.state[1].offset, int64_t(20));
    QCOMPARE(sum.state[1].count, int64_t(6));
  }

  void namesAreSpelledAsGraphsDo() {
    QCOMPARE(plainTypeName("V<float, true>"), std::string("V<float,true>"));
    QCOMPARE(plainTypeName("a::V< unsigned , __fp16, 8U > "), std::string("a::V<unsigned int,half,8>"));
    QCOMPARE(plainTypeName("V<unsigned char>"), std::string("V<unsigned char>"));
    QCOMPARE(plainTypeName("V<W<int> >"), std::string("V<W<int>>"));
    // Vectors as the compiler spells them, and as sources do.
    QCOMPARE(plainTypeName("V<float, float __attribute__((ext_vector_type(2)))>"), std::string("V<float,float2>"));
    QCOMPARE(plainTypeName("V<W<__fp16 __attribute__((ext_vector_type(4)))>, unsigned int __attribute__((ext_vector_type(2)))>"),
             std::string("V<W<half4>,uint2>"));
    QCOMPARE(plainTypeName("V<half,half4>"), std::string("V<half,half4>"));
  }

  void constraintsAreFoundInBothSpellings() {
    const auto found =
        constraintsOf("// [[poplar::constraint(\"elem(*x)!=elem(*y)\")]] class No {};\n"
                      "class [[ poplar::constraint(\"elem(*b) != elem(*c)\") ]]\n  Triad : public Vertex {};\n"
                      "template <class T> [[poplar::constraint(\"elem(*a)!=elem(*b)\",\n \"elem(**c)!=\" \"elem(*d)\")]] "
                      "class ALIGNED Other final : public V {};");
    QCOMPARE(found.size(), std::size_t(3));
    QCOMPARE(found[0].first, std::string("Triad"));
    QCOMPARE(found[0].second, std::string("elem(*b)!=elem(*c)"));
    QCOMPARE(found[1].first, std::string("Other"));
    QCOMPARE(found[2].second, std::string("elem(*c)!=elem(*d)"));
  }

  void initialisersOfMembersAreFound() {
    for (const char* const line :
         {"int n = 4;", "  float n{2}; // ", "int k, n[3] = {1, 2, 3};", "int m = 2, n /* steps */ = 1;"})
      QVERIFY2(hasInitialiser(line, "n"), line);
    for (const char* const line : {"int n;", "int k = n2, n;", "int n; // = 4", "const unsigned n, k = 3;", "int nn = 3, n;"})
      QVERIFY2(!hasInitialiser(line, "n"), line);
  }

  void knownAssemblyIsReplacedByItsMeaning() {
    const std::string source =
        "bool compute() {\n  __asm__ volatile(\"setzi $m1, __runCodelet_Part\\n\"\n    \"runall $m1, $m0, 0\\n\"\n"
        "    \"sync %[zone]\\n\" ::[zone] \"i\"(4));\n  asm volatile(\"nop\" ::: \"memory\");\n  return true;\n}\n";
    const PlainSource plain = replaceAssembly(source);
    QVERIFY(plain.isChanged);
    QCOMPARE(plain.startedByName, std::vector<std::string>{"Part"});
    QVERIFY(!tests::has(plain.text, "runall"));
    QVERIFY(tests::has(plain.text, "nop"));
    QCOMPARE(std::count(plain.text.begin(), plain.text.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
    const auto startsAll = [](const std::string& text) {
      return replaceAssembly("asm volatile(\"" + text + "\" : : [zone] \"i\"(4), [code] \"r\"(start), \"r\"(this));").text;
    };
    for (const char* const text :
         {"sync %[zone]\\n\\trunall %[code], %2, 0", "runall %1, %2, 0", "runall %1, %2, 0\\nsync %[zone]"})
      QCOMPARE(startsAll(text), std::string("__tilescope_run_all((void*)(start), (void*)(this));"));
    QCOMPARE(startsAll("sync %[zone]"), std::string("(void)0;"));
    QVERIFY(tests::has(startsAll("runall %1, %2, 0\\nnop"), "runall"));
    QVERIFY(!replaceAssembly("// asm(\"f32v4acc\")\nconst char* text = \"asm(\";").isChanged);
  }

  void otherAssemblyIsRefusedWithItsLine() {
    const std::string ir =
        "  call void asm sideeffect \"nop\\0A\", \"~{memory}\"(), !dbg !5\n"
        "  call void asm sideeffect \"setzi $$a0, 8\\0Auput $$FP_CLR, $$a0\", \"\"(), !dbg !5\n"
        "!5 = !DILocation(line: 12, column: 3, scope: !6)\n"
        "!6 = distinct !DISubprogram(name: \"f\", file: !7)\n!7 = !DIFile(filename: \"a.cpp\", directory: \"/\")\n";
    const std::string error = tests::errorOf([&] { refuseAssembly(ir); });
    QVERIFY2(tests::has(error, "setzi") && tests::has(error, "a.cpp:12"), error.c_str());
    QVERIFY(tests::errorOf([&] { refuseAssembly(ir.substr(0, ir.find("setzi") - 40)); }).empty());
  }
};

TILESCOPE_TEST(VertexClassTest)
#include "vertex_class_test.moc"
